package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.engine.Await;
import io.millrace.engine.SharedLog;
import io.millrace.engine.exchange.BlockScatter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.TestStore.Fault;
import io.millrace.engine.job.TestStore.Place;
import io.millrace.engine.log.LogWriter;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.sink.LogPlace;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.engine.source.LogSource;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever happens to the job, at the end each value of the log is in the store exactly once. */
@ExtendWith(SharedLog.class)
class ExactlyOnceIT {
  private static final int PARTITIONS = 3;
  private static final Duration OFTEN = Duration.ofMillis(150);

  /** Checkpoints are taken when the test asks for them, but for one that Flink takes at once. */
  private static final Duration NEVER = Duration.ofHours(24);

  private static final String JOB = "job";

  @TempDir Path directory;

  private String topic;
  private LogWriter writer;
  private TestStore store;
  private EmbeddedFlink flink;

  /** What the log has acknowledged. */
  private final Map<Place, List<String>> written = new ConcurrentHashMap<>();

  private int values;

  @BeforeEach
  void makeTopic() {
    begin(SharedLog.newTopic(PARTITIONS));
  }

  private void begin(String name) {
    topic = name;
    store = TestStore.named(topic);
    writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG);
  }

  @AfterEach
  void close() {
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

  private EmbeddedFlink.JobBuilder steps(String sinkTopic, int parallelism) {
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
      RewindableSink.<RawBatch>of(
              subtask -> TestStore.named(read).target(), LogPlace.RAW, log, sinkTopic)
          .flushingEvery(Duration.ofMillis(10), 25)
          .addTo(passed, "store", parallelism);
    };
  }

  /** A process that starts: a cluster of its own, on the same directory. */
  private EmbeddedJob start(int parallelism, Duration checkpoints) throws Exception {
    startFlink(parallelism, checkpoints);
    return submit(parallelism);
  }

  private void startFlink(int parallelism, Duration checkpoints) {
    flink =
        new EmbeddedFlink(
            FlinkConfig.defaults().withSlots(parallelism).withCheckpointInterval(checkpoints),
            directory);
    flink.start();
  }

  /** Gives the job to the cluster and waits until it has rewound the store. */
  private EmbeddedJob submit(int parallelism) throws Exception {
    int before = store.rewinds();
    EmbeddedJob job = flink.submit(JOB, parallelism, steps(topic, parallelism));
    Await.until("the rewind", () -> store.rewinds() > before);
    return job;
  }

  /** A process that ends without a word to the job. */
  private void breakOff() {
    flink.close();
    flink = null;
  }

  /** Every third value is no batch and has no rows: it is a value all the same. */
  private void write(int count) {
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
              new LogWriter.Completion() {
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

  private void awaitAll() throws Exception {
    Await.until("all values in the store", () -> store.rows().keySet().equals(written.keySet()));
    assertThat(store.rows()).isEqualTo(written);
  }

  private Path checkpoint(long id) throws IOException {
    return checkpoints().stream().filter(path -> path.endsWith("chk-" + id)).findFirst().get();
  }

  private List<Path> checkpoints() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(path -> path.getFileName().toString().startsWith("chk-"))
          .filter(path -> Files.exists(path.resolve("_metadata")))
          .toList();
    }
  }

  private static void damage(Path checkpoint) throws IOException {
    byte[] bytes = Files.readAllBytes(checkpoint.resolve("_metadata"));
    java.util.Arrays.fill(bytes, 0, bytes.length / 2, (byte) 0x5A);
    Files.write(checkpoint.resolve("_metadata"), bytes);
  }

  /** Not while some of its subtasks still start. */
  private static boolean takesCheckpoint(EmbeddedJob job) {
    try {
      return job.checkpoint() > 0;
    } catch (JobException e) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void undisturbed(int parallelism) throws Exception {
    EmbeddedJob job = start(parallelism, OFTEN);
    for (int i = 0; i < 5; i++) {
      write(100);
    }
    awaitAll();
    assertThat(store.appended()).isEqualTo(values);
    assertThat(job.status().restarts()).isZero();
    assertThat(job.restored()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void theTargetFailsNowAndThen(int parallelism) throws Exception {
    Fault[] faults = {
      Fault.AT_APPEND, Fault.AFTER_FLUSH, Fault.AT_REWIND, Fault.BEFORE_FLUSH, Fault.AT_APPEND
    };
    store.failing(60, faults);
    EmbeddedJob job = start(parallelism, OFTEN);
    while (store.faultsLeft()) {
      write(20);
      Await.until("the store", () -> !store.faultsLeft() || store.rows().size() == values);
    }
    write(50);
    awaitAll();
    assertThat(job.status().restarts()).isEqualTo(faults.length);
    assertThat(store.appended()).isGreaterThan(values);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void theProcessEndsBetweenTwoCheckpoints(int parallelism) throws Exception {
    EmbeddedJob job = start(parallelism, NEVER);
    write(40);
    awaitAll();
    long checkpoint = job.checkpoint();
    write(30);
    awaitAll();
    breakOff();
    write(20);

    job = start(parallelism, NEVER);
    awaitAll();
    assertThat(job.restored()).contains(checkpoint);
    assertThat(store.rewound()).isEqualTo(30);
    assertThat(store.appended()).isEqualTo(40 + 30 + 30 + 20);
  }

  @Test
  void theProcessEndsBeforeTheFirstCheckpoint() throws Exception {
    start(2, NEVER);
    write(40);
    awaitAll();
    breakOff();
    for (Path checkpoint : checkpoints()) {
      Files.delete(checkpoint.resolve("_metadata")); // a checkpoint that was not completed
    }
    EmbeddedJob job = start(2, NEVER);
    awaitAll();
    assertThat(job.restored()).isEmpty();
    assertThat(store.rewound()).isEqualTo(40);
  }

  @Test
  void theJobIsStoppedAndGoesOnInTheSameProcess() throws Exception {
    EmbeddedJob first = start(2, NEVER);
    write(40);
    awaitAll();
    assertThat(first.stop(true)).isTrue();
    assertThat(first.ended()).isTrue();
    write(30);

    EmbeddedJob second = submit(2);
    awaitAll();
    assertThat(store.rewound()).isZero();
    second.checkpoint();
    write(30);
    awaitAll();
    assertThat(second.stop(false)).isFalse();

    EmbeddedJob third = submit(1);
    write(20);
    awaitAll();
    assertThat(store.rewound()).isEqualTo(30);
    assertThat(third.status().running()).isTrue();
  }

  @Test
  void aJobThatRunsIsNotSubmittedAgain() throws Exception {
    EmbeddedJob job = start(1, NEVER);
    assertThatThrownBy(() -> flink.submit(JOB, 1, steps(topic, 1)))
        .isInstanceOf(JobException.class)
        .hasMessageContaining("job " + JOB)
        .hasMessageContaining("runs already");
    write(10);
    awaitAll();
    assertThat(job.ended()).isFalse();
  }

  @Test
  void valuesComeWhileTheJobStops() throws Exception {
    EmbeddedJob job = start(2, NEVER);
    write(40);
    awaitAll();
    Thread busy =
        new Thread(
            () -> {
              for (int i = 0; i < 200; i++) {
                write(2);
              }
            });
    busy.start();
    assertThat(job.stop(true)).isTrue();
    busy.join();
    submit(2);
    awaitAll();
  }

  @Test
  void theNewestCheckpointIsDamaged() throws Exception {
    EmbeddedJob job = start(2, NEVER);
    write(30);
    awaitAll();
    long older = job.checkpoint();
    write(20);
    awaitAll();
    long newest = job.checkpoint();
    write(10);
    awaitAll();
    breakOff();
    damage(checkpoint(newest));

    job = start(2, NEVER);
    awaitAll();
    assertThat(job.restored()).contains(older);
    assertThat(store.rewound()).isEqualTo(30);
    long next = job.checkpoint();
    assertThat(next).as("numbers are free again").isBetween(newest, newest + 1);
    breakOff();
    job = start(2, NEVER);
    assertThat(job.restored()).contains(next);
    awaitAll();
  }

  @Test
  void allCheckpointsAreDamaged() throws Exception {
    EmbeddedJob job = start(1, NEVER);
    write(30);
    awaitAll();
    job.checkpoint();
    job.checkpoint();
    breakOff();
    assertThat(checkpoints()).hasSize(CheckpointDirectory.KEPT);
    for (Path checkpoint : checkpoints()) {
      damage(checkpoint);
    }
    job = start(1, NEVER);
    awaitAll();
    assertThat(job.restored()).isEmpty();
    assertThat(store.rewound()).isEqualTo(30);
  }

  @Test
  void theParallelismChangesBetweenStarts() throws Exception {
    int[] parallelisms = {1, 2, 3, 1};
    for (int parallelism : parallelisms) {
      EmbeddedJob job = start(parallelism, NEVER);
      write(30);
      awaitAll();
      job.checkpoint();
      write(10);
      awaitAll();
      breakOff();
    }
    assertThat(store.rewound()).isEqualTo(10L * (parallelisms.length - 1));
  }

  @Test
  void startsWithNothingNewReadNothing() throws Exception {
    EmbeddedJob job = start(2, NEVER);
    write(30);
    awaitAll();
    job.checkpoint();
    for (int i = 0; i < 3; i++) {
      breakOff();
      EmbeddedJob again = start(2, NEVER);
      Await.until("a checkpoint", () -> takesCheckpoint(again));
    }
    assertThat(store.appended()).isEqualTo(30);
    assertThat(store.rewound()).isZero();
    write(5);
    awaitAll();
    assertThat(store.appended()).isEqualTo(35);
  }

  @Test
  void aTopicThatIsMadeAfterTheJob() throws Exception {
    String later = SharedLog.newName();
    writer.close();
    topic = later;
    store = TestStore.named(later);
    startFlink(2, NEVER);
    EmbeddedJob job = flink.submit(JOB, 2, steps(later, 2));
    Await.until("a first attempt", () -> job.status().restarts() > 0);
    assertThat(job.status().failure()).isPresent();
    SharedLog.make(later, PARTITIONS);
    begin(later);
    write(30);
    awaitAll();
  }

  @Test
  void anotherLogThanTheOneOfTheCheckpointIsRefused() throws Exception {
    EmbeddedJob job = start(2, NEVER);
    write(30);
    awaitAll();
    job.checkpoint();
    job.stop(false);
    String shorter = SharedLog.newTopic(PARTITIONS);
    EmbeddedJob wrong = flink.submit(JOB, 2, steps(shorter, 2));
    assertThatThrownBy(() -> wrong.awaitEnd(Duration.ofSeconds(20)))
        .isInstanceOf(JobException.class)
        .hasMessageContaining("the log ends at 0");
    assertThat(store.rows()).isEqualTo(written);

    submit(2);
    write(10);
    awaitAll();
  }

  @Test
  void whatNoRestartMendsFailsOnce() throws Exception {
    store.failing(20, Fault.FOR_GOOD);
    EmbeddedJob job = start(1, NEVER);
    write(30);
    assertThatThrownBy(() -> job.awaitEnd(Duration.ofSeconds(20)))
        .isInstanceOf(JobException.class)
        .hasMessage("job " + JOB + " has failed: the store is of a newer release");
    assertThat(job.status().restarts()).isZero();
    assertThat(job.status().state()).isEqualTo("FAILED");
    assertThat(job.stop(true)).as("nothing is left to stop").isFalse();

    submit(1);
    awaitAll();
  }

  @Test
  void whatTheLogHasDeletedIsNotRewound() throws Exception {
    EmbeddedJob job = start(2, NEVER);
    write(30);
    awaitAll();
    job.checkpoint();
    write(30);
    awaitAll();
    job.stop(false);
    Map<Integer, Long> deleted = new HashMap<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      deleted.put(partition, 15L);
    }
    SharedLog.deleteBefore(topic, new Frontier(deleted));
    submit(2);
    awaitAll();
    assertThat(store.lastRewind()).isEqualTo(new Frontier(deleted));
    assertThat(store.rewound()).isEqualTo(15);
  }
}
