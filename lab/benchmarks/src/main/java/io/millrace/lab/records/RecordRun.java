package io.millrace.lab.records;

import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogReader;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.pipelines.LocalStores;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.SharedParts;
import io.millrace.pipelines.StoreLink;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.record.RecordSchema;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * A log, a stream engine and a store in this process, as {@code up} has them, and the job of a
 * pipeline: over records that are in the log before, or that are written while it runs.
 */
public final class RecordRun implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int LOOK_MILLIS = 10;
  private static final double NANOS = 1e9;

  /**
   * A result that is older is late, and so long without one ends a burst of them. One that is not
   * shows that the job has caught up.
   */
  private static final Duration LATE = Duration.ofMillis(200);

  private static final Duration CATCHING_UP = Duration.ofSeconds(30);

  /** In place of the time of what has brought a result about. */
  public static final long NOT_MEASURED = -1;

  /** Between the writes of what is due, as a listener writes what has come meanwhile. */
  private static final long SEND_NANOS = 5_000_000;

  private final LogPipeline pipeline;
  private final int slots;
  private final LogConfig logConfig = LogConfig.defaults();
  private final SharedParts shared = SharedParts.of(Map.of());
  private final EmbeddedLog log;
  private final DuckDbStore store;
  private final EmbeddedFlink flink;
  private final String name;

  /** Starts all but the job. */
  public RecordRun(Path directory, LogPipeline pipeline, int slots) {
    this.pipeline = pipeline;
    this.slots = slots;
    name = directory.toString();
    log = new EmbeddedLog(logConfig, directory.resolve("log"));
    log.start();
    var unused = pipeline.ensureTopics(log, logConfig, shared);
    store = new DuckDbStore(directory.resolve("store"), StoreConfig.defaults());
    LocalStores.add(name, store);
    pipeline.tables().forEach(store::results);
    flink =
        new EmbeddedFlink(
            FlinkConfig.defaults().withSlots(slots), directory.resolve("checkpoints"));
    flink.start();
  }

  /** Fills the topic of a stream. */
  public RecordFill fill(RecordSchema stream) {
    return new RecordFill(
        log.bootstrapServers(), RecordStream.of(stream).topic(), logConfig, stream);
  }

  /**
   * Runs the job over the whole log.
   *
   * @param records that stand there
   * @return records a second, from the first that was seen to be read until the end
   */
  public double runToEnd(long records) {
    Map<String, Run.Range> ranges = new HashMap<>();
    for (String topic : pipeline.topics()) {
      try (LogOffsets offsets = new LogOffsets(log.bootstrapServers(), topic)) {
        ranges.put(topic, new Run.Range(Frontier.EMPTY, offsets.end()));
      }
    }
    Run run =
        Run.live(log.bootstrapServers(), new StoreLink.Local(name), shared, slots)
            .over(new Run.Stretch(Optional.empty(), ranges));
    EmbeddedJob job = flink.submit(pipeline.name(), slots, pipeline.job(run));
    long started = System.nanoTime();
    long first = 0;
    long firstNanos = started;
    while (!job.awaitEnd(Duration.ofMillis(LOOK_MILLIS))) {
      if (first == 0) {
        first = pipeline.rowsIn(job.status().counters());
        firstNanos = System.nanoTime();
      }
      if (System.nanoTime() - started > PATIENCE.toNanos()) {
        throw new WrongResultException("the job has not done its work after " + PATIENCE);
      }
    }
    if (first == 0 || first == records) { // too few to see them come: from the submission
      first = 0;
      firstNanos = started;
    }
    return (records - first) / ((System.nanoTime() - firstNanos) / NANOS);
  }

  /** Writes records as their times come, the first of them when it was made. */
  @FunctionalInterface
  public interface Sender {
    /** Writes the records that are due at that moment, microseconds since the epoch. */
    void send(long micros);
  }

  /** Of a result: the time of what has brought it about, and how long it took from then. */
  private record Delay(long since, long micros) {}

  /** How old results were when a reader of committed messages got them. */
  public static final class Delays {
    private final long[] micros; // in their order
    private final long behindMillis;
    private final long catchingUpMillis;
    private final int bursts;
    private final Pauses pauses;

    /**
     * @param taken delays by the time of what has brought the results about, microseconds
     */
    private Delays(List<Delay> taken, long behindMillis, long catchingUpMillis, Pauses pauses) {
      micros = taken.stream().mapToLong(Delay::micros).sorted().toArray();
      bursts = bursts(taken);
      this.behindMillis = behindMillis;
      this.catchingUpMillis = catchingUpMillis;
      this.pauses = pauses;
    }

    private static int bursts(List<Delay> taken) {
      long[] late =
          taken.stream()
              .filter(each -> each.micros > micros(LATE))
              .mapToLong(Delay::since)
              .sorted()
              .toArray();
      int bursts = late.length == 0 ? 0 : 1;
      for (int i = 1; i < late.length; i++) {
        bursts += late[i] - late[i - 1] > micros(LATE) ? 1 : 0;
      }
      return bursts;
    }

    /**
     * The figure with what it has to be read with: by how much the sender was late in the end,
     * after how long the job had caught up with what came while it was warming up, or was not
     * waited for, the JVM's collections meanwhile, means of snapshots and commits, and in how many
     * stretches of time results were late.
     */
    public Figure explain(Figure figure) {
      return figure
          .with("sender_behind_ms", behindMillis)
          .with("catching_up_ms", catchingUpMillis)
          .with("collections", pauses.collections())
          .with("collections_ms", pauses.collectionMillis())
          .with("snapshot_ms", Math.round(pauses.snapshotMillis()))
          .with("commit_ms", Math.round(pauses.commitMillis()))
          .with("bursts", bursts);
    }

    /** How many. */
    public int count() {
      return micros.length;
    }

    /** A percentile, in milliseconds. */
    public double millis(int percent) {
      return micros[Math.min(micros.length - 1, micros.length * percent / 100)] / 1e3;
    }
  }

  /**
   * What makes results wait, but for the work itself: garbage collections of this JVM, snapshots,
   * in which a step stands still, and commits, for which a sink waits.
   */
  private record Pauses(
      long collections, long collectionMillis, double snapshotMillis, double commitMillis) {
    static Pauses of(EmbeddedJob job) {
      long collections = 0;
      long millis = 0;
      for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
        collections += each.getCollectionCount();
        millis += each.getCollectionTime();
      }
      Map<String, Long> counters = job.status().counters();
      return new Pauses(
          collections,
          millis,
          meanMillis(counters, "snapshotNanos", "snapshots"),
          meanMillis(counters, "-topic.flushNanos", "-topic.flushes"));
    }

    /** The means are those since the start. */
    Pauses since(Pauses before) {
      return new Pauses(
          collections - before.collections,
          collectionMillis - before.collectionMillis,
          snapshotMillis,
          commitMillis);
    }

    private static double meanMillis(Map<String, Long> counters, String nanos, String times) {
      long sum = sum(counters, nanos);
      return sum == 0 ? 0 : sum / 1e6 / sum(counters, times);
    }

    private static long sum(Map<String, Long> counters, String end) {
      return counters.entrySet().stream()
          .filter(each -> each.getKey().endsWith(end))
          .mapToLong(Map.Entry::getValue)
          .sum();
    }
  }

  /**
   * Runs the job, for ever, on records that are written by the clock from when it is up. It is
   * measured when it has caught up with what came while it was warming up; one that has not within
   * half a minute is measured all the same.
   *
   * @param senderFrom makes the sender of the records from a moment on, microseconds since the
   *     epoch
   * @param topic of the results
   * @param cause time of the record that has brought a result about, microseconds since the epoch;
   *     {@link #NOT_MEASURED} for a result that does not count
   * @param warmUp after it has caught up; results of what came before its end are not measured
   * @param measured how long what comes then is measured
   * @throws WrongResultException if there is no result
   */
  public Delays delays(
      LongFunction<Sender> senderFrom,
      String topic,
      ToLongFunction<String> cause,
      Duration warmUp,
      Duration measured) {
    Run run = Run.live(log.bootstrapServers(), new StoreLink.Local(name), shared, slots);
    EmbeddedJob job = flink.submit(pipeline.name(), slots, pipeline.job(run));
    awaitUp(job);
    long length = micros(measured);
    AtomicLong from = new AtomicLong(Long.MAX_VALUE);
    AtomicLong newest = new AtomicLong();
    AtomicBoolean hasCaughtUp = new AtomicBoolean();
    AtomicBoolean goesOn = new AtomicBoolean(true);
    ToLongFunction<String> counted =
        result -> {
          long since = cause.applyAsLong(result);
          newest.accumulateAndGet(since, Math::max);
          if (nowMicros() - since < micros(LATE)) {
            hasCaughtUp.set(true);
          }
          long after = since - from.get();
          return after >= 0 && after < length ? since : NOT_MEASURED;
        };
    CompletableFuture<List<Delay>> reader =
        CompletableFuture.supplyAsync(
            () -> read(topic, counted, goesOn::get), task -> new Thread(task, topic).start());
    long begin = nowMicros();
    Sender sender = senderFrom.apply(begin);
    long due = begin;
    Pauses before = Pauses.of(job);
    while (newest.get() - length < from.get() && due - begin < micros(PATIENCE)) {
      due = nowMicros();
      sender.send(due);
      LockSupport.parkNanos(SEND_NANOS);
      if (from.get() == Long.MAX_VALUE
          && (hasCaughtUp.get() || due - begin > micros(CATCHING_UP))) {
        from.set(due + micros(warmUp));
        before = Pauses.of(job);
      }
    }
    Pauses pauses = Pauses.of(job).since(before);
    long behind = (nowMicros() - due) / 1_000;
    goesOn.set(false);
    List<Delay> delays = reader.join();
    if (delays.isEmpty()) {
      throw new WrongResultException("nothing came to the topic " + topic);
    }
    long catchingUp = (from.get() - micros(warmUp) - begin) / 1_000;
    return new Delays(delays, behind, catchingUp, pauses);
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  /** Steps count from when they can take records. */
  private void awaitUp(EmbeddedJob job) {
    List<String> counters = pipeline.streams().stream().map(RecordStream::rowsCounter).toList();
    while (!job.status().counters().keySet().containsAll(counters)) {
      if (job.awaitEnd(Duration.ofMillis(LOOK_MILLIS))) {
        throw new WrongResultException("the job has ended before it was up");
      }
    }
  }

  private static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private List<Delay> read(String topic, ToLongFunction<String> cause, BooleanSupplier goesOn) {
    List<Delay> delays = new ArrayList<>();
    LogReader.follow(
        log.bootstrapServers(),
        topic,
        goesOn,
        (partition, offset, time, key, value) -> {
          long since = cause.applyAsLong(new String(value, StandardCharsets.UTF_8));
          if (since != NOT_MEASURED) {
            delays.add(new Delay(since, nowMicros() - since));
          }
          return true;
        });
    return delays;
  }

  /** A number of a JSON object that has no others of that name. */
  public static long number(String json, String name) {
    String field = '"' + name + "\":";
    int begin = json.indexOf(field) + field.length();
    int end = begin;
    while (end < json.length() && Character.isDigit(json.charAt(end))) {
      end++;
    }
    if (begin < field.length() || begin == end) {
      throw new WrongResultException("no " + name + " in " + json);
    }
    return Long.parseLong(json, begin, end, 10);
  }

  /** Rows of a table. */
  public long rows(String table) {
    return Long.parseLong(texts("SELECT count(*) FROM " + table).get(0));
  }

  /** The first column of each row of the answer to a query. */
  public List<String> texts(String sql) {
    List<String> texts = new ArrayList<>();
    QueryRequest request = new QueryRequest(sql, Duration.ofSeconds(30), Integer.MAX_VALUE);
    try (QueryResult result = store.query(request)) {
      while (result.next()) {
        texts.add(result.value(0).toString());
      }
    }
    return texts;
  }

  @Override
  public void close() {
    flink.close();
    LocalStores.remove(name);
    store.close();
    log.close();
  }
}
