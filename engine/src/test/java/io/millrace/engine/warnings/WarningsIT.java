package io.millrace.engine.warnings;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.Checkpoints;
import io.millrace.engine.SharedLog;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.operator.KeyedInput;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.engine.sink.TopicSink;
import io.millrace.testing.Await;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two topics are joined by event time, after any failure and at any parallelism. */
@ExtendWith(SharedLog.class)
class WarningsIT {
  private static final boolean IS_LONG = Boolean.getBoolean("millrace.long");

  /** Emitted warnings; the job runs in this process. */
  private static final Set<String> SEEN = new ConcurrentSkipListSet<>();

  private static final AtomicInteger FAILURES = new AtomicInteger();

  @TempDir Path directory;

  private final Trace trace = new Trace(11);
  private EmbeddedFlink flink;

  @BeforeEach
  void forget() {
    SEEN.clear();
  }

  @AfterEach
  void close() {
    if (flink != null) {
      flink.close();
    }
    trace.close();
  }

  /** Writes incremental state from a size on. */
  private static final class SizedWarnings extends Warnings {
    private final long incrementalFrom;

    SizedWarnings(long incrementalFrom) {
      this.incrementalFrom = incrementalFrom;
    }

    @Override
    public long incrementalFrom() {
      return incrementalFrom;
    }
  }

  private static DataStream<TableBlock> parsed(
      StreamExecutionEnvironment job, String topic, String uid, TableSchema schema, int width) {
    return Analyzers.analyze(
        Trace.source(topic).addTo(job, uid, width),
        uid + "-parse",
        BlockTypeInfo.TABLES,
        width,
        subtask -> new Trace.Parse(schema));
  }

  /** The warnings, which are recorded and forwarded unless a failure is due. */
  private static DataStream<TableBlock> warnings(
      StreamExecutionEnvironment job, String usage, String videos, int width, long changesFrom) {
    DataStream<TableBlock> warnings =
        Analyzers.analyzeKeyed(
            new KeyedInput<>(
                parsed(job, usage, "usage", Warnings.USAGE, width), Warnings.BY_SUBSCRIBER),
            new KeyedInput<>(
                parsed(job, videos, "videos", Warnings.VIDEOS, width), Warnings.BY_SUBSCRIBER),
            "warnings",
            BlockTypeInfo.TABLES,
            width,
            Optional.empty(),
            subtask -> new SizedWarnings(changesFrom));
    return Analyzers.analyze(
        warnings,
        "keep",
        BlockTypeInfo.TABLES,
        width,
        subtask ->
            (block, out) -> {
              if (FAILURES.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new IllegalStateException("a failure of the world");
              }
              for (int row = 0; row < block.rows(); row++) {
                SEEN.add(block.text(row, 0) + " " + block.text(row, 1) + " " + block.text(row, 2));
              }
              out.emit(block);
            });
  }

  private EmbeddedJob start(int width, long changesFrom, Optional<ResultTopic> outlet) {
    flink =
        new EmbeddedFlink(
            FlinkConfig.defaults().withSlots(width).withCheckpointInterval(Duration.ofHours(24)),
            directory);
    flink.start();
    String usage = trace.usageTopic();
    String videos = trace.videosTopic();
    return flink.submit(
        "warnings",
        width,
        job -> {
          DataStream<TableBlock> warnings = warnings(job, usage, videos, width, changesFrom);
          outlet.ifPresent(topic -> topic.addTo(warnings, "warnings-out"));
        });
  }

  private static ResultTopic outlet(ResultTopic.Release release) {
    String topic = SharedLog.newName();
    TopicSink.ensure(new LogTopics(SharedLog.log(), SharedLog.CONFIG), topic);
    return ResultTopic.inLog(
        SharedLog.bootstrapServers(),
        topic,
        "quota.warnings",
        Warnings.WARNINGS,
        List.of("subscriber", "time"),
        "time",
        release);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, 0})
  void warnsOfTheSameThroughFailuresAndAtAnyParallelism(long changesFrom) throws Exception {
    int[] widths = changesFrom == 0 ? new int[] {3} : new int[] {3, 1};
    for (int width : IS_LONG ? new int[] {1, 3, 2} : widths) {
      EmbeddedJob job = start(width, changesFrom, Optional.empty());
      for (int checkpoint = 0; checkpoint < 3; checkpoint++) {
        int seen = SEEN.size();
        trace.write(20);
        Await.until("warnings", () -> SEEN.size() > seen);
        Checkpoints.take(job);
      }
      FAILURES.set(1);
      trace.write(20); // after the checkpoint, so it is replayed
      Await.until("a restart", () -> job.status().restarts() == 1);
      int seen = SEEN.size();
      trace.write(20);
      Await.until("warnings", () -> SEEN.size() > seen);
      flink.close();
      flink = null;
    }
    start(2, changesFrom, Optional.empty());
    trace.writeEnd();
    Await.until("all warnings", () -> SEEN.containsAll(trace.warnings()));
    assertThat(SEEN).containsExactlyElementsOf(trace.warnings()).hasSizeGreaterThan(100);
  }

  @ParameterizedTest
  @EnumSource
  void eachWarningIsInTheTopicOnce(ResultTopic.Release release) throws Exception {
    ResultTopic outlet = outlet(release);
    String topic = outlet.sink().topic();
    for (int width : IS_LONG ? new int[] {2, 1} : new int[] {1}) {
      EmbeddedJob job = start(width, Long.MAX_VALUE, Optional.of(outlet));
      int begun = SEEN.size();
      trace.write(20);
      Await.until("warnings", () -> SEEN.size() > begun);
      Set<String> covered = new TreeSet<>(SEEN);
      Checkpoints.take(job);
      Set<String> seen = new TreeSet<>(SEEN);
      trace.write(20); // after the checkpoint, so it is replayed
      Await.until("warnings", () -> SEEN.size() > seen.size() + 20);
      if (release == ResultTopic.Release.AT_ONCE) {
        Await.until("them in the topic", () -> ResultMessages.warnings(topic).containsAll(SEEN));
      } else {
        Await.until("what is covered", () -> ResultMessages.warnings(topic).containsAll(covered));
        assertThat(ResultMessages.warnings(topic)).doesNotContainAnyElementsOf(newOnes(seen));
      }
      FAILURES.set(1);
      trace.write(20);
      Await.until("a restart", () -> job.status().restarts() == 1);
      int before = SEEN.size();
      trace.write(20);
      Await.until("warnings", () -> SEEN.size() > before);
      assertThat(ResultMessages.warnings(topic)).containsAll(covered).doesNotHaveDuplicates();
      if (release == ResultTopic.Release.AT_ONCE) {
        Await.until("what was made again to be known", () -> repeated(job) > 0);
      }
      flink.close();
      flink = null;
    }
    EmbeddedJob job = start(2, Long.MAX_VALUE, Optional.of(outlet));
    trace.writeEnd();
    Await.until("all warnings", () -> SEEN.containsAll(trace.warnings()));
    Checkpoints.take(job);
    Set<String> all = trace.warnings();
    Await.until("all in the topic", () -> ResultMessages.warnings(topic).size() >= all.size());
    assertThat(ResultMessages.warnings(topic))
        .containsExactlyInAnyOrderElementsOf(all)
        .hasSizeGreaterThan(100);
    assertThat(ResultMessages.read(topic))
        .extracting(each -> each.get("id"))
        .doesNotHaveDuplicates();
  }

  private static long repeated(EmbeddedJob job) {
    return job.status().counters().getOrDefault("warnings-out." + ResultTopic.REPEATED, 0L);
  }

  private static Set<String> newOnes(Set<String> seen) {
    Set<String> others = new TreeSet<>(SEEN);
    others.removeAll(seen);
    return others;
  }
}
