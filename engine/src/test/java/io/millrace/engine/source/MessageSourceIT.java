package io.millrace.engine.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.engine.SharedLog;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogWriter;
import io.millrace.engine.operator.Analyzers;
import io.millrace.testing.Await;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Values of an external topic arrive in batches, each with its position, and none is missing. */
@ExtendWith(SharedLog.class)
class MessageSourceIT {
  private static final int VALUES = 50_000;
  private static final int PARTITIONS = 3;

  /** Position → value; the job runs in this process. */
  private static final Map<String, String> SEEN = new ConcurrentSkipListMap<>();

  private static final AtomicInteger BATCHES = new AtomicInteger();
  private static final AtomicBoolean FAILS = new AtomicBoolean();
  private static final AtomicInteger FAILURES = new AtomicInteger();

  @TempDir Path directory;

  private EmbeddedFlink flink;
  private String topic;

  @BeforeEach
  void start() {
    SEEN.clear();
    BATCHES.set(0);
    FAILS.set(false);
    FAILURES.set(0);
    topic = SharedLog.newTopic(PARTITIONS);
    flink =
        new EmbeddedFlink(
            FlinkConfig.defaults().withSlots(2).withCheckpointInterval(Duration.ofMillis(100)),
            directory);
    flink.start();
  }

  @AfterEach
  void close() {
    flink.close();
  }

  private static void write(String topic, int from, int until) throws Exception {
    try (LogWriter writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG)) {
      for (int i = from; i < until; i++) {
        byte[] value = ("value " + i).getBytes(StandardCharsets.UTF_8);
        Await.until("room", () -> writer.offer(null, value, 1));
      }
      writer.flush();
    }
  }

  private static void build(StreamExecutionEnvironment steps, LogSource source) {
    Analyzers.analyze(
        source.addTo(steps, "values", 2),
        "keep",
        BlockTypeInfo.RAW,
        2,
        subtask -> new BatchCheck());
  }

  private static final class BatchCheck implements Analyzer<RawBatch, RawBatch> {
    @Override
    public void process(RawBatch batch, Emitter<RawBatch> out) {
      if (FAILS.compareAndSet(true, false)) {
        FAILURES.incrementAndGet();
        throw new IllegalStateException("fails on request");
      }
      assertThat(batch.isValues()).isTrue();
      assertThat(batch.sourceOffset(batch.first())).isEqualTo(batch.offset());
      BATCHES.incrementAndGet();
      int cursor = batch.first();
      for (int i = batch.rows(); i > 0; i--, cursor = batch.next(cursor)) {
        String value =
            new String(
                batch.bytes(),
                batch.payload(cursor),
                batch.payloadLength(cursor),
                StandardCharsets.UTF_8);
        String before = SEEN.put(batch.partition() + "/" + batch.sourceOffset(cursor), value);
        assertThat(before == null || before.equals(value)).as(value).isTrue();
      }
    }
  }

  private LogSource source() {
    return LogSource.ofMessages(SharedLog.bootstrapServers(), topic, Map.of());
  }

  private static void areAllThere(int count) throws Exception {
    Await.until(count + " values", () -> SEEN.size() == count);
    assertThat(SEEN.values().stream().distinct().count()).isEqualTo(count);
  }

  @Test
  void valuesComeInBatchesAndAgainAfterAFailure() throws Exception {
    write(topic, 0, VALUES);
    EmbeddedJob job = flink.submit("values", 2, steps -> build(steps, source()));
    areAllThere(VALUES);
    assertThat(BATCHES.get()).isLessThan(VALUES / 100);
    Await.until("a checkpoint", () -> job.status().checkpoint().isPresent());
    FAILS.set(true);
    write(topic, VALUES, VALUES + 1_000);
    areAllThere(VALUES + 1_000);
    assertThat(FAILURES.get()).isEqualTo(1);
  }

  @Test
  void aBoundedSourceEnds() throws Exception {
    write(topic, 0, 1_000);
    Frontier until;
    try (LogOffsets offsets = new LogOffsets(SharedLog.bootstrapServers(), topic)) {
      until = offsets.end();
    }
    write(topic, 1_000, 2_000);
    EmbeddedJob job = flink.submit("bounded", 2, steps -> build(steps, source().endingAt(until)));
    Await.until("the end", () -> job.status().state().equals("FINISHED"));
    areAllThere(1_000);
  }
}
