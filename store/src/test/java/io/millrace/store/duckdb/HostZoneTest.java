package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.AnswerRows;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store on a host with a time zone other than UTC, in its own process. */
class HostZoneTest {
  private static final List<String> QUERIES =
      List.of(
          "SELECT count(*) FROM flows WHERE time >= now() - INTERVAL 10 MINUTE",
          "SELECT count(*) FROM flows WHERE time > current_timestamp",
          "SELECT count(*) FROM flows f WHERE f.time + INTERVAL 0 DAY < now()",
          "SELECT TIMESTAMPTZ '2026-03-08 02:30:00'::VARCHAR",
          "SELECT TIMESTAMP '2026-03-08 02:30:00', TIMESTAMPTZ '2026-03-29 02:30:00', TIMESTAMP_NS '2026-03-08 02:30:00.000000001'",
          "SELECT epoch(TIMESTAMPTZ '2026-07-01 00:00:00'), TIMESTAMPTZ '2026-07-01 00:00:00'::DATE, '2026-07-01 00:00:00+02:00'::TIMESTAMP",
          "SELECT date_trunc('day', TIMESTAMPTZ '2026-07-01 00:00:00+00'), hour(TIMESTAMPTZ '2026-07-01 00:00:00+00')");

  @TempDir Path directory;

  /** Prints the results of queries over flows of now. */
  static final class Host {
    private Host() {}

    public static void main(String[] arguments) throws Exception {
      try (DuckDbStore store = new DuckDbStore(Path.of(arguments[0]), StoreConfig.defaults())) {
        FlowBlock block = Flows.joined(40, 0, 1);
        Instant now = Instant.now();
        Arrays.fill(
            block.longs(FlowColumn.TIME), 0, 40, now.minusSeconds(5).toEpochMilli() * 1_000);
        try (FlowWriter writer = store.table(Store.FLOWS, Flows.SCHEMA).writer()) {
          writer.append(block);
          writer.flush();
        }
        for (String sql : QUERIES) {
          System.out.println(AnswerRows.of(store, sql));
        }
        try (QueryResult exact =
            store.query(
                new QueryRequest(
                    "SELECT TIMESTAMP '2026-03-08 02:30:00', TIMESTAMPTZ '2026-03-29 02:30:00'",
                    Duration.ofMinutes(1),
                    1))) {
          exact.next();
          System.out.println(exact.exact(0) + " " + exact.exact(1));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"America/New_York", "Europe/Berlin"})
  void resultsEqualThoseInUtc(String zone) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Host.class.getName(),
            directory.toString());
    builder.environment().put("TZ", zone);
    Process host = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String told = new String(host.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(host.waitFor()).isZero();
    assertThat(told.lines())
        .containsExactly(
            "[40]",
            "[0]",
            "[40]",
            "[2026-03-08 02:30:00+00]",
            "[2026-03-08 02:30:00.0|2026-03-29T02:30Z|2026-03-08 02:30:00.000000001]",
            "[1.782864E9|2026-07-01|2026-06-30 22:00:00.0]",
            "[2026-07-01T00:00Z|0]",
            "2026-03-08T02:30 2026-03-29T02:30Z");
  }
}
