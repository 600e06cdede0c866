package io.millrace.engine.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.SharedLog;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.LogWriter;
import io.millrace.engine.source.LogSource;
import io.millrace.pulse.FreePort;
import io.millrace.testing.Await;
import io.millrace.wire.block.RawBatch;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Dead letters go to a separate log, so that it can be stopped during the job. */
@ExtendWith(SharedLog.class)
class LogSinkIT {
  private static final String LETTERS = "letters";

  @TempDir Path directory;

  private static byte[] batch(int datagrams) {
    RawBatch.Writer batch = new RawBatch.Writer(100);
    for (int i = 0; i < datagrams; i++) {
      batch.add(i, 0, 1, 2, new byte[] {1}, 0, 1);
    }
    return batch.toBytes();
  }

  private static long letters(EmbeddedLog log) {
    try (LogOffsets offsets = new LogOffsets(log.bootstrapServers(), LETTERS)) {
      return offsets.end().next(0);
    }
  }

  private static long counter(EmbeddedJob job, String name) {
    return job.status().counters().getOrDefault("letters." + name, 0L);
  }

  private static EmbeddedJob submit(
      EmbeddedFlink flink, String topic, String letters, Duration deliveryTimeout) {
    String log = SharedLog.bootstrapServers();
    return flink.submit(
        "dead letters",
        1,
        job ->
            LogSink.addTo(
                LogSource.of(log, topic).addTo(job, "log", 1),
                LETTERS,
                letters,
                LETTERS,
                deliveryTimeout));
  }

  @Test
  void anUnavailableLogBlocksNothingAndAllLossesAreCounted() throws Exception {
    String topic = SharedLog.newTopic(1);
    LogConfig config = LogConfig.defaults().withPort(FreePort.any()).withPartitions(1);
    Path data = directory.resolve("letters");
    FlinkConfig often =
        FlinkConfig.defaults().withSlots(1).withCheckpointInterval(Duration.ofHours(24));
    EmbeddedLog letters = new EmbeddedLog(config, data);
    try (EmbeddedFlink flink = new EmbeddedFlink(often, directory.resolve("checkpoints"));
        LogWriter writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG)) {
      letters.start();
      new LogTopics(letters, config).ensure(LETTERS);
      flink.start();
      EmbeddedJob job = submit(flink, topic, letters.bootstrapServers(), Duration.ofMinutes(10));
      assertThat(writer.offer(null, batch(2), 2)).isTrue();
      Await.until("the first letter", () -> letters(letters) == 1);

      letters.close();
      assertThat(writer.offer(null, batch(3), 3)).isTrue();
      Await.until("the second at the sink", () -> counter(job, "numRecordsIn") == 2);
      job.checkpoint(); // would fail after 10 s if it waited for the log's response
      assertThat(job.stop(false)).isFalse();

      letters.start();
      EmbeddedJob again = submit(flink, topic, letters.bootstrapServers(), Duration.ofSeconds(5));
      Await.until(
          "the letter of the checkpoint",
          () -> letters(letters) == 2 || counter(again, LogSink.DROPPED_DATAGRAMS) > 0);
      assertThat(counter(again, LogSink.DROPPED_DATAGRAMS)).isZero();

      letters.close();
      assertThat(writer.offer(null, batch(5), 5)).isTrue();
      Await.until("the loss to be counted", () -> counter(again, LogSink.DROPPED_DATAGRAMS) == 5);
    } finally {
      letters.close();
    }
  }
}
