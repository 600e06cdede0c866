package io.millrace.engine.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.SharedLog;
import io.millrace.testing.Await;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(SharedLog.class)
class LogWriterIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private static void assertAddsUp(LogWriter.Counts counts) {
    assertThat(counts.waitingRows()).isZero();
    assertThat(counts.offeredValues())
        .isEqualTo(counts.rejectedValues() + counts.acknowledgedValues() + counts.failedValues());
  }

  @Test
  void valuesWithAKeyKeepPartitionAndOrder() {
    String topic = SharedLog.newTopic(3);
    try (LogWriter writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG)) {
      for (int i = 0; i < 200; i++) {
        assertThat(writer.offer(new byte[] {(byte) (i % 7)}, new byte[] {(byte) i}, 2)).isTrue();
      }
      writer.flush();
      assertThat(writer.counts().acknowledgedRows()).isEqualTo(400);
      assertThat(writer.counts().acknowledgedBytes()).isEqualTo(200);
      assertAddsUp(writer.counts());
    }
    Map<Byte, List<Integer>> values = new HashMap<>();
    Map<Byte, Integer> partitions = new HashMap<>();
    try (LogOffsets offsets = new LogOffsets(SharedLog.bootstrapServers(), topic)) {
      LogReader.read(
          SharedLog.bootstrapServers(),
          topic,
          Frontier.EMPTY,
          offsets.end(),
          TIMEOUT,
          (partition, offset, time, key, value) -> {
            values.computeIfAbsent(key[0], k -> new ArrayList<>()).add(value[0] & 0xFF);
            Integer before = partitions.putIfAbsent(key[0], partition);
            assertThat(before).isIn(null, partition);
            return true;
          });
    }
    assertThat(values).hasSize(7);
    values.forEach((key, list) -> assertThat(list).isSorted().doesNotHaveDuplicates());
    assertThat(values.values().stream().mapToInt(List::size).sum()).isEqualTo(200);
  }

  @Test
  void aLogThatStopsInTheMiddleRejectsAndFailsButNeverBlocks(@TempDir Path directory)
      throws Exception {
    LogConfig config =
        LogConfig.defaults()
            .withPartitions(1)
            .withCompression(Compression.NONE)
            .withBuffer(1 << 20, Duration.ofSeconds(1));
    EmbeddedLog log = new EmbeddedLog(config, directory);
    log.start();
    new LogTopics(log, config).ensure("values");
    LogWriter writer = new LogWriter(log.bootstrapServers(), "values", config);
    byte[] value = new byte[100_000];
    assertThat(writer.offer(null, value, 3)).isTrue();
    writer.flush();
    log.close();
    CompletableFuture<Boolean> offeredFromCallback = new CompletableFuture<>();
    CompletableFuture<Exception> failedLater = new CompletableFuture<>();
    LogAppender.Completion second =
        new LogAppender.Completion() {
          @Override
          public void acknowledged(int partition, long offset) {}

          @Override
          public void failed(Exception cause) {
            failedLater.complete(cause);
          }
        };
    assertThat(
            writer.offer(
                null,
                value,
                5,
                new LogAppender.Completion() {
                  @Override
                  public void acknowledged(int partition, long offset) {}

                  @Override
                  public void failed(Exception cause) {
                    // Value of a batch whose memory is free when the batch is complete.
                    offeredFromCallback.complete(writer.offer(null, new byte[10], 11, second));
                  }
                }))
        .as(writer::lastFailure)
        .isTrue();
    int rejected = 0;
    for (int i = 0; i < 30; i++) {
      rejected += writer.offer(null, value, 7) ? 0 : 1;
    }
    assertThat(rejected).as("1 MiB of buffer holds no 3 MB").isBetween(1, 30);
    assertThat(writer.counts().rejectedValues()).isEqualTo(rejected);
    assertThat(writer.counts().waitingRows()).isPositive();
    assertThat(writer.lastFailure()).isNotEmpty();

    Await.until("the callback", offeredFromCallback::isDone);
    if (offeredFromCallback.get()) {
      Await.until("the value of the callback", failedLater::isDone);
    }
    Await.until("the end of all", () -> writer.counts().waitingRows() == 0);
    LogWriter.Counts counts = writer.counts();
    assertAddsUp(counts);
    assertThat(counts.acknowledgedRows()).isEqualTo(3);
    assertThat(counts.offeredValues()).isEqualTo(33);
    assertThat(counts.rejectedValues()).isEqualTo(rejected + (offeredFromCallback.get() ? 0 : 1));
    assertThat(counts.failedValues()).isEqualTo(32 - counts.rejectedValues());
    writer.close(Duration.ZERO);
  }

  @Test
  void countsNeverShowMoreOutcomesThanOffers() throws Exception {
    String topic = SharedLog.newTopic(1);
    LogWriter writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG);
    writer.close();
    CountDownLatch end = new CountDownLatch(1);
    Thread offers =
        new Thread(
            () -> {
              byte[] value = new byte[1];
              for (int i = 0; i < 100_000; i++) {
                writer.offer(null, value, 1); // rejected at once: each offer has an outcome
              }
              end.countDown();
            });
    offers.start();
    long fewest = 0;
    while (end.getCount() > 0) {
      fewest = Math.min(fewest, writer.counts().waitingRows());
    }
    offers.join();
    assertThat(fewest).isZero();
    assertThat(writer.counts().rejectedRows()).isEqualTo(100_000);
    assertAddsUp(writer.counts());
  }

  @Test
  void aValueThatIsTooLargeIsRejected() {
    String topic = SharedLog.newTopic(1);
    try (LogWriter writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG)) {
      assertThat(writer.offer(null, new byte[LogConfig.MAX_VALUE_BYTES], 1)).isFalse();
      assertThat(writer.counts().rejectedRows()).isEqualTo(1);
      assertAddsUp(writer.counts());
    }
  }

  @Test
  void rejectsValuesWhileTheDiskIsFull() {
    String topic = SharedLog.newTopic(1);
    AtomicBoolean isFull = new AtomicBoolean(true);
    try (LogWriter writer =
        new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG, isFull::get)) {
      assertThat(writer.offer(null, new byte[10], 3)).isFalse();
      assertThat(writer.lastFailure()).isEqualTo("the disk of the log was full");
      isFull.set(false);
      assertThat(writer.offer(null, new byte[10], 2)).isTrue();
      writer.flush();
      assertThat(writer.counts().rejectedRows()).isEqualTo(3);
      assertThat(writer.counts().acknowledgedRows()).isEqualTo(2);
      assertAddsUp(writer.counts());
    }
  }

  @Test
  void aMissingTopicIsReported() {
    assertThatThrownBy(
            () ->
                new LogWriter(
                    SharedLog.bootstrapServers(),
                    "nobody-makes-it",
                    SharedLog.CONFIG,
                    () -> false,
                    Duration.ofMillis(300)))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("nobody-makes-it")
        .hasMessageContaining("300 ms");
  }

  @Test
  void aTopicThatIsMadeWhileTheWriterWaits() throws Exception {
    String topic = SharedLog.newName();
    CompletableFuture<LogWriter> writer =
        CompletableFuture.supplyAsync(
            () -> new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG));
    SharedLog.make(topic, 2);
    Await.until("the writer", writer::isDone);
    assertThat(writer.get().partitions()).isEqualTo(2);
    writer.get().close();
  }
}
