package io.millrace.lab.ads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogException;
import io.millrace.engine.log.LogReader;
import io.millrace.engine.log.LogTopics;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchWriterIT {
  @TempDir static Path directory;

  private static EmbeddedLog log;

  private final String topic = "batches-" + System.nanoTime();

  @BeforeAll
  static void startLog() throws Exception {
    log = new EmbeddedLog(LogConfig.defaults(), directory);
    log.start();
  }

  @AfterAll
  static void stopLog() {
    log.close();
  }

  private static void make(String topic, int partitions) {
    var unused = new LogTopics(log, LogConfig.defaults().withPartitions(partitions)).ensure(topic);
  }

  private BatchWriter writer(int partitions) throws Exception {
    return new BatchWriter(log.bootstrapServers(), topic, partitions);
  }

  @Test
  void valuesKeepTheirOrderAndTimes() throws Exception {
    make(topic, 2);
    List<String> sent = new ArrayList<>();
    try (BatchWriter writer = writer(2)) {
      writer.flush(); // of nothing
      for (int i = 0; i < 3_000; i++) {
        writer.add(
            i % 2, ("value " + i).getBytes(StandardCharsets.US_ASCII), 1_700_000_000_000L + i);
        sent.add("value " + i + " at " + i);
        if (i % 1_000 == 999) {
          writer.flush();
        }
      }
    }
    List<String> read = new ArrayList<>();
    List<Integer> last = new ArrayList<>(List.of(-1, -2));
    LogReader.follow(
        log.bootstrapServers(),
        topic,
        () -> true,
        (partition, offset, time, key, value) -> {
          int number = (int) (time - 1_700_000_000_000L);
          assertThat(number)
              .isGreaterThan(last.set(partition, number))
              .matches(n -> n % 2 == partition);
          read.add(new String(value, StandardCharsets.US_ASCII) + " at " + number);
          return read.size() < sent.size();
        });
    assertThat(read).containsExactlyInAnyOrderElementsOf(sent);
  }

  @Test
  void reportsRecordsThatTheLogRejects() throws Exception {
    make(topic, 1);
    try (BatchWriter writer = writer(1)) {
      writer.add(0, new byte[LogConfig.MAX_VALUE_BYTES + 1], 1_700_000_000_000L);
      assertThatThrownBy(writer::flush)
          .isInstanceOf(LogException.class)
          .hasMessageContaining(topic);
    }
  }
}
