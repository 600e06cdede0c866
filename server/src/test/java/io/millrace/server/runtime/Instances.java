package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.server.collect.Doctor;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Instances for tests: loopback and free ports only, frequent checkpoints. */
final class Instances {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private Instances() {}

  static MillraceConfig config(Path data) {
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return MillraceConfig.defaults()
        .withData(data)
        .withCollector(
            CollectorConfig.defaults().withListen(loopback).withReceiveBufferBytes(4 << 20))
        .withJob(FlinkConfig.defaults().withSlots(2).withCheckpointInterval(Duration.ofMillis(500)))
        .withHttp(HttpConfig.DEFAULTS.withPort(0));
  }

  static InetSocketAddress udp(Millrace millrace) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), millrace.udpPort());
  }

  /** Each row as its values with blanks between; NULL is a hyphen. */
  static List<String> rows(Store store, String sql) {
    List<String> rows = new ArrayList<>();
    try (QueryResult result = store.query(new QueryRequest(sql, PATIENCE, 10_000_000))) {
      int columns = result.columns().size();
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 0; i < columns; i++) {
          Object value = result.value(i);
          row.append(i == 0 ? "" : " ").append(value == null ? "-" : value);
        }
        rows.add(row.toString());
      }
    }
    return rows;
  }

  static long number(Store store, String sql) {
    return Long.parseLong(rows(store, sql).get(0));
  }

  static void drain(Millrace millrace) {
    boolean drained = millrace.awaitDrained(PATIENCE);
    assertThat(drained)
        .as(() -> Doctor.text(millrace.ledger(), millrace.facts()) + "\n" + millrace.status())
        .isTrue();
  }
}
