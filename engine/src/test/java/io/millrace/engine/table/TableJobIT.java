package io.millrace.engine.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.engine.Checkpoints;
import io.millrace.engine.SharedLog;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.LogWriter;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.source.LogSource;
import io.millrace.testing.Await;
import io.millrace.wire.block.RawBatch;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each record is joined with the same version of a table, also when it is replayed after a failure.
 */
@ExtendWith(SharedLog.class)
class TableJobIT {
  private static final Duration DELAY = Duration.ofMillis(600);
  private static final int SUBTASKS = 2;

  /** Time of a record → versions that it was joined with; the job runs in this process. */
  private static final Map<Long, Set<String>> SEEN = new ConcurrentHashMap<>();

  private static final AtomicBoolean FAILS = new AtomicBoolean();

  @TempDir Path directory;

  private static final class Look implements Analyzer<RawBatch, RawBatch> {
    private final TableTopic<String> topic;
    private TableReader<String> table;

    Look(TableTopic<String> topic) {
      this.topic = topic;
    }

    @Override
    public void open(AnalyzerContext context) {
      table = topic.open();
    }

    @Override
    public void process(RawBatch record, Emitter<RawBatch> out) throws Exception {
      if (FAILS.getAndSet(false)) {
        throw new IllegalStateException("a failure of the world");
      }
      long micros = record.time(record.first());
      SEEN.computeIfAbsent(micros, none -> ConcurrentHashMap.newKeySet()).add(table.at(micros));
    }

    @Override
    public void close() {
      if (table != null) {
        table.close();
      }
    }
  }

  @Test
  void aReplayReadsEachRecordWithTheVersionOfTheFirstTime() throws Exception {
    String records = SharedLog.newTopic(SUBTASKS);
    TableTopic<String> table =
        new TableTopic<>(
            SharedLog.bootstrapServers(),
            SharedLog.newName(),
            DELAY,
            version -> new String(version, StandardCharsets.UTF_8));
    table.ensure(new LogTopics(SharedLog.log(), SharedLog.CONFIG));
    NavigableMap<Long, String> versions = new TreeMap<>();
    try (LogWriter writer = new LogWriter(SharedLog.bootstrapServers(), records, SharedLog.CONFIG);
        EmbeddedFlink flink =
            new EmbeddedFlink(
                FlinkConfig.defaults()
                    .withSlots(SUBTASKS)
                    .withCheckpointInterval(Duration.ofHours(24)),
                directory)) {
      publish(table, "0", versions);
      flink.start();
      EmbeddedJob job =
          flink.submit(
              "look",
              SUBTASKS,
              steps ->
                  Analyzers.analyze(
                      LogSource.of(SharedLog.bootstrapServers(), records)
                          .addTo(steps, "log", SUBTASKS),
                      "look",
                      BlockTypeInfo.RAW,
                      SUBTASKS,
                      subtask -> new Look(table)));
      for (int version = 1; version <= 3; version++) {
        long holds = publish(table, Integer.toString(version), versions);
        Await.until(
            "the version to hold",
            () -> {
              write(writer);
              return now() > holds + 100_000;
            });
        if (version == 1) {
          Checkpoints.take(job);
        }
      }
      FAILS.set(true);
      write(writer);
      Await.until("a restart", () -> job.status().restarts() == 1);
      long last = write(writer);
      Await.until("the last record", () -> SEEN.containsKey(last));
      Checkpoints.take(job); // everything before it was processed
    }
    assertThat(SEEN)
        .allSatisfy(
            (micros, seen) ->
                assertThat(seen)
                    .containsExactly(
                        (versions.floorKey(micros) == null
                                ? versions.firstEntry()
                                : versions.floorEntry(micros))
                            .getValue()));
    assertThat(SEEN.values().stream().distinct()).hasSize(4);
  }

  private static long publish(
      TableTopic<String> table, String version, NavigableMap<Long, String> versions)
      throws Exception {
    Instant holds = table.publish(version.getBytes(StandardCharsets.UTF_8));
    versions.put(holds.toEpochMilli() * 1_000, version);
    return holds.toEpochMilli() * 1_000;
  }

  private static long now() {
    return System.currentTimeMillis() * 1_000;
  }

  private static long write(LogWriter writer) {
    long micros = now();
    RawBatch.Writer batch = new RawBatch.Writer(1);
    batch.add(micros, 0, 1, 2, new byte[] {1}, 0, 1);
    assertThat(writer.offer(null, batch.toBytes(), 1)).isTrue();
    writer.flush();
    return micros;
  }
}
