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
 * A log, a stream engine and a store in this process, as {@code up} has them, with the job of a
 * pipeline. The job runs over records that are already in the log, or are written meanwhile.
 */
public final class RecordRun implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int LOOK_MILLIS = 10;
  private static final double NANOS = 1e9;

  /**
   * Results older than this are late. A gap of this length without late results ends a burst. The
   * first result that is not late shows that the job has caught up.
   */
  private static final Duration LATE = Duration.ofMillis(200);

  private static final Duration CATCHING_UP = Duration.ofSeconds(30);

  /** In place of the time of the record that triggered a result. */
  public static final long NOT_MEASURED = -1;

  /** Interval of writes; a listener also writes in batches. */
  private static final long SEND_NANOS = 5_000_000;

  private final LogPipeline pipeline;
  private final int slots;
  private final LogConfig logConfig = LogConfig.defaults();
  private final SharedParts shared = SharedParts.of(Map.of());
  private final EmbeddedLog log;
  private final DuckDbStore store;
  private final EmbeddedFlink flink;
  private final String name;

  /** Starts everything except the job. */
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

  /** Returns a writer to the topic of a stream. */
  public RecordFill fill(RecordSchema stream) {
    return new RecordFill(
        log.bootstrapServers(), RecordStream.of(stream).topic(), logConfig, stream);
  }

  /**
   * Runs the job over the whole log.
   *
   * @param records number of records in the log
   * @return records per second, from the first non-zero counter of read records to the end
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
            .over(new Run.Bounds(Optional.empty(), ranges));
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
        throw new WrongResultException("the job has not finished after " + PATIENCE);
      }
    }
    if (first == 0 || first == records) { // too few records: measure from the submission
      first = 0;
      firstNanos = started;
    }
    return (records - first) / ((System.nanoTime() - firstNanos) / NANOS);
  }

  /** Writes records in real time, starting at its creation. */
  @FunctionalInterface
  public interface Sender {
    /** Writes all records due by a time in microseconds since the epoch. */
    void send(long micros);
  }

  /** A result's latency and the time of the record that triggered it, in microseconds. */
  private record Delay(long since, long micros) {}

  /** Latency of results until a consumer of committed messages receives them. */
  public static final class Delays {
    private final long[] micros; // sorted
    private final long behindMillis;
    private final long catchingUpMillis;
    private final int bursts;
    private final Pauses pauses;

    /**
     * @param taken latencies of all measured results
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
     * Adds conditions to a figure: the sender's lag at the end, the time until the job caught up or
     * the wait for it timed out, garbage collections during the measurement, mean durations of
     * snapshots and commits, and the number of bursts of late results.
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

    /** Returns the number of results. */
    public int count() {
      return micros.length;
    }

    /** Returns a percentile in milliseconds. */
    public double millis(int percent) {
      return micros[Math.min(micros.length - 1, micros.length * percent / 100)] / 1e3;
    }
  }

  /**
   * Pauses that delay results: garbage collections of this JVM, snapshots, which block a step, and
   * commits, which block a sink.
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

    /** The means still cover the time since the start. */
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
   * Runs the job as an unbounded one on records written in real time once it is up. Measurement
   * begins {@code warmUp} after the job has caught up with the records of its first seconds, or
   * after 30 s without catching up.
   *
   * @param senderFrom creates the sender, given the time of its first record in microseconds since
   *     the epoch
   * @param topic topic of the results
   * @param cause time of the record that triggered a result, microseconds since the epoch; {@link
   *     #NOT_MEASURED} for a result to ignore
   * @param warmUp time after catching up; results triggered before its end are not measured
   * @param measured length of the measurement
   * @throws WrongResultException if results are missing after {@link #PATIENCE}
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
      throw new WrongResultException("no results in the topic " + topic);
    }
    if (newest.get() - length < from.get()) {
      throw new WrongResultException(
          "results are missing after %d min: the job lags behind the sender"
              .formatted(PATIENCE.toMinutes()));
    }
    long catchingUp = (from.get() - micros(warmUp) - begin) / 1_000;
    return new Delays(delays, behind, catchingUp, pauses);
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  /** Waits until all source steps have counters, which exist once they can take records. */
  private void awaitUp(EmbeddedJob job) {
    List<String> counters = pipeline.streams().stream().map(RecordStream::rowsCounter).toList();
    while (!job.status().counters().keySet().containsAll(counters)) {
      if (job.awaitEnd(Duration.ofMillis(LOOK_MILLIS))) {
        throw new WrongResultException("the job ended during its start");
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

  /** Returns a number of a JSON object with only one field of that name. */
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

  /** Returns the number of rows of a table. */
  public long rows(String table) {
    return Long.parseLong(texts("SELECT count(*) FROM " + table).get(0));
  }

  /** Returns the first column of a query's result. */
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
