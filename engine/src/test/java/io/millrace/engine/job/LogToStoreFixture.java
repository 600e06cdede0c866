package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.engine.SharedLog;
import io.millrace.engine.exchange.BlockScatter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.TestStore.Place;
import io.millrace.engine.log.LogAppender;
import io.millrace.engine.log.LogWriter;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.sink.LogCoverage;
import io.millrace.engine.sink.LogPlace;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.engine.source.LogSource;
import io.millrace.testing.Await;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job that copies a log into a store, in a process that tests can start, kill and restart on the
 * same directory.
 */
@ExtendWith(SharedLog.class)
abstract class LogToStoreFixture {
  static final int PARTITIONS = 3;
  static final Duration OFTEN = Duration.ofMillis(150);

  /** Checkpoints are only taken on request, except one that Flink takes at once. */
  static final Duration NEVER = Duration.ofHours(24);

  static final String JOB = "job";

  @TempDir Path directory;

  TestStore store;
  EmbeddedFlink flink;

  /** Acknowledged values. */
  final Map<Place, List<String>> written = new ConcurrentHashMap<>();

  /** Number of values written. */
  int values;

  String topic;
  LogWriter writer;

  @BeforeEach
  final void makeTopic() {
    begin(SharedLog.newTopic(PARTITIONS));
  }

  /** Uses an existing topic, and a new store. */
  final void begin(String name) {
    topic = name;
    store = TestStore.named(topic);
    writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG);
  }

  @AfterEach
  final void close() {
    if (flink != null) {
      flink.close();
    }
    writer.close();
    TestStore.forget(topic);
  }

  private static final class Pass implements Analyzer<RawBatch, RawBatch> {
    @Override
    public void process(RawBatch block, Emitter<RawBatch> out) {
      out.emit(block);
    }
  }

  /** The job from this topic to its store; the sink compares with the log of another topic. */
  final EmbeddedFlink.JobBuilder steps(String sinkTopic, int parallelism) {
    String log = SharedLog.bootstrapServers();
    String read = topic;
    return (StreamExecutionEnvironment job) -> {
      DataStream<RawBatch> batches = LogSource.of(log, read).addTo(job, "log", parallelism);
      DataStream<RawBatch> passed =
          Analyzers.analyze(
              BlockScatter.scatter(batches),
              "pass",
              BlockTypeInfo.RAW,
              parallelism,
              subtask -> new Pass());
      RewindableSink.of(
              subtask -> TestStore.named(read).sink(), LogCoverage.of(LogPlace.RAW, log, sinkTopic))
          .flushingEvery(Duration.ofMillis(10), 25)
          .addTo(passed, "store", parallelism);
    };
  }

  /** A starting process: a new cluster, on the same directory. */
  final EmbeddedJob start(int parallelism, Duration checkpoints) throws Exception {
    startFlink(parallelism, checkpoints);
    return submit(parallelism);
  }

  /** Only the cluster. */
  final void startFlink(int parallelism, Duration checkpoints) {
    flink =
        new EmbeddedFlink(
            FlinkConfig.defaults().withSlots(parallelism).withCheckpointInterval(checkpoints),
            directory);
    flink.start();
  }

  /** Submits the job and waits until it has rewound the store. */
  final EmbeddedJob submit(int parallelism) throws Exception {
    int before = store.rewinds();
    EmbeddedJob job = flink.submit(JOB, parallelism, steps(topic, parallelism));
    Await.until("the rewind", () -> store.rewinds() > before);
    return job;
  }

  /** Kills the process without notifying the job. */
  final void breakOff() {
    flink.close();
    flink = null;
  }

  /** Every third value is not a batch and has no rows, but counts as a value. */
  final void write(int count) {
    for (int i = 0; i < count; i++) {
      String text = "value " + values++;
      byte[] value = text.getBytes(StandardCharsets.ISO_8859_1);
      if (values % 3 != 0) {
        RawBatch.Writer batch = new RawBatch.Writer(100);
        batch.add(values, 0, 1, 2, value, 0, value.length);
        batch.add(values, 0, 1, 2, value, 0, value.length);
        value = batch.toBytes();
      }
      String stored = new String(value, StandardCharsets.ISO_8859_1);
      boolean taken =
          writer.offer(
              null,
              value,
              1,
              new LogAppender.Completion() {
                @Override
                public void acknowledged(int partition, long offset) {
                  written.put(new Place(partition, offset), List.of(stored));
                }

                @Override
                public void failed(Exception cause) {}
              });
      assertThat(taken).isTrue();
    }
    writer.flush();
    assertThat(written).hasSize(values);
  }

  /** Waits until the store has every value, and checks that it has each exactly once. */
  final void awaitAll() throws Exception {
    Await.until("all values in the store", () -> store.rows().keySet().equals(written.keySet()));
    assertThat(store.rows()).isEqualTo(written);
  }

  /** Completed checkpoints. */
  final List<Path> checkpoints() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(path -> path.getFileName().toString().startsWith("chk-"))
          .filter(path -> Files.exists(path.resolve("_metadata")))
          .toList();
    }
  }
}
