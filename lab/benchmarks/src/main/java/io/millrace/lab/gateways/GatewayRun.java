package io.millrace.lab.gateways;

import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.LogWriter;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.pipelines.DeadLetters;
import io.millrace.pipelines.LocalStores;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.SharedParts;
import io.millrace.pipelines.StoreLink;
import io.millrace.pipelines.gateways.GatewaysConfig;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A log, a stream engine and a store in this process, as {@code up} has them, with the gateways
 * job. The job runs over a filled log or with a concurrent sender.
 */
final class GatewayRun implements AutoCloseable {
  private static final String TOPIC = new GatewaysPipeline().topics().get(0);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int LOOK_MILLIS = 10;
  private static final double NANOS = 1e9;

  private final EmbeddedLog log;
  private final LogConfig logConfig = LogConfig.defaults();
  private final int partitions;
  private final DuckDbStore store;
  private final EmbeddedFlink flink;
  private final String name;

  GatewayRun(Path directory) {
    name = directory.toString();
    log = new EmbeddedLog(logConfig, directory.resolve("log"));
    log.start();
    LogTopics topics = new LogTopics(log, logConfig);
    partitions = topics.ensure(TOPIC).partitions();
    DeadLetters.ensure(topics);
    store = new DuckDbStore(directory.resolve("store"), StoreConfig.defaults());
    LocalStores.add(name, store);
    new GatewaysPipeline().tables().forEach(store::results);
    flink =
        new EmbeddedFlink(FlinkConfig.defaults().withSlots(1), directory.resolve("checkpoints"));
    flink.start();
  }

  int partitions() {
    return partitions;
  }

  long logBytes() {
    return log.diskBytes();
  }

  private EmbeddedJob submit(GatewaysConfig config, boolean isBounded) {
    try (LogOffsets offsets = new LogOffsets(log.bootstrapServers(), TOPIC)) {
      Run live =
          Run.live(
              log.bootstrapServers(),
              new StoreLink.Local(name),
              SharedParts.of(Map.of()),
              config.slots());
      Run.Range all = new Run.Range(Frontier.EMPTY, offsets.end());
      Run run = isBounded ? live.over(new Run.Bounds(Optional.empty(), Map.of(TOPIC, all))) : live;
      return flink.submit(
          GatewaysPipeline.NAME, config.slots(), new GatewaysPipeline(config).job(run));
    }
  }

  private LogWriter writer() {
    return new LogWriter(log.bootstrapServers(), TOPIC, logConfig);
  }

  private static void send(LogWriter writer, GatewayLoad load) {
    load.next(
        (partition, value, records) -> {
          while (!writer.offer(partition, value, records, null)) {
            LockSupport.parkNanos(1_000_000);
          }
        });
  }

  void fill(GatewayLoad load, long records) {
    try (LogWriter writer = writer()) {
      while (load.records() < records) {
        send(writer, load);
      }
      writer.flush();
    }
  }

  /**
   * Runs the job over the whole log.
   *
   * @return records per second, from the first non-zero counter of added records to the end
   */
  double runToEnd(GatewaysConfig config, long records) {
    EmbeddedJob job = submit(config, true);
    long started = System.nanoTime();
    long firstNanos = started;
    long first = 0;
    while (!job.awaitEnd(Duration.ofMillis(LOOK_MILLIS))) {
      if (first == 0) {
        first = added(job.status().counters());
        firstNanos = System.nanoTime();
      }
      checkTime(started);
    }
    if (first == 0 || first == records) { // too few records: measure from the submission
      first = 0;
      firstNanos = started;
    }
    double seconds = (System.nanoTime() - firstNanos) / NANOS;
    WrongResultException.check("records in gateway_days", records, visible());
    return (records - first) / seconds;
  }

  private static long added(Map<String, Long> counters) {
    return counters.getOrDefault(GatewaysPipeline.DAYS_STEP + ".records", 0L);
  }

  private static void checkTime(long started) {
    if (System.nanoTime() - started > PATIENCE.toNanos()) {
      throw new WrongResultException("the job has not finished after " + PATIENCE);
    }
  }

  /** Returns the number of records visible to queries. */
  long visible() {
    String sql = "SELECT coalesce(sum(records), 0)::BIGINT FROM gateway_days";
    try (QueryResult result = store.query(new QueryRequest(sql, Duration.ofSeconds(30), 1))) {
      return result.next() ? ((Number) result.value(0)).longValue() : 0;
    }
  }

  /**
   * Result of a run at a fixed rate.
   *
   * @param intervalMillis processing time per interval: decoding, adding up and storing
   * @param addingMillis the part of it for adding up
   * @param lagMillis maximum lag of records before they are added up, in the second half
   * @param visibleMillis time from the last record until queries see all
   */
  record Outcome(
      double intervalMillis, double addingMillis, double lagMillis, double visibleMillis) {}

  /**
   * Sends at a fixed rate while the job runs.
   *
   * @param warmUpSeconds time before the measurement
   */
  Outcome runAt(
      GatewaysConfig config, GatewayLoad load, double rate, int warmUpSeconds, int seconds) {
    EmbeddedJob job = submit(config, false);
    try (LogWriter writer = writer()) {
      pace(writer, load, job, rate, warmUpSeconds);
      Map<String, Long> before = job.status().counters();
      long start = System.nanoTime();
      double lag = pace(writer, load, job, rate, seconds);
      double intervals = (System.nanoTime() - start) / NANOS * 1e3 / config.interval().toMillis();
      Map<String, Long> after = job.status().counters();
      long sent = System.nanoTime();
      writer.flush();
      while (visible() < load.records()) {
        LockSupport.parkNanos(5_000_000);
        checkTime(sent);
      }
      double visible = (System.nanoTime() - sent) / 1e6;
      WrongResultException.check("records in gateway_days", load.records(), visible());
      double adding = millis(before, after, GatewaysPipeline.DAYS_STEP + ".busyNanos");
      double all =
          adding
              + millis(before, after, "gateways-records.busyNanos")
              + millis(before, after, "gateway-days-store.appendNanos")
              + millis(before, after, "gateway-days-store.flushNanos");
      return new Outcome(all / intervals, adding / intervals, lag, visible);
    } finally {
      job.stop(false);
    }
  }

  private static double millis(Map<String, Long> before, Map<String, Long> after, String counter) {
    return (after.getOrDefault(counter, 0L) - before.getOrDefault(counter, 0L)) / 1e6;
  }

  /** Sends for a number of seconds; returns the maximum lag of the second half, in milliseconds. */
  private static double pace(
      LogWriter writer, GatewayLoad load, EmbeddedJob job, double rate, int seconds) {
    long start = System.nanoTime();
    long first = load.records();
    long end = start + (long) (seconds * NANOS);
    double lag = 0;
    long nextLook = start;
    while (System.nanoTime() < end) {
      long now = System.nanoTime();
      if (load.records() - first < (now - start) / NANOS * rate) {
        send(writer, load);
      } else {
        LockSupport.parkNanos(500_000);
      }
      if (now >= nextLook) {
        nextLook = now + LOOK_MILLIS * 1_000_000L;
        double waiting = load.records() - added(job.status().counters());
        if (now - start > (end - start) / 2) {
          lag = Math.max(lag, waiting / rate * 1e3);
        }
      }
    }
    return lag;
  }

  @Override
  public void close() {
    flink.close();
    LocalStores.remove(name);
    store.close();
    log.close();
  }
}
