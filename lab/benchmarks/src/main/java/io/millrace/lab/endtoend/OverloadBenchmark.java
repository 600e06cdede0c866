package io.millrace.lab.endtoend;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rate;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.server.collect.ExporterStats;
import io.millrace.server.collect.LossLedger;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.traffic.DialPace;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.UdpSender;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Mixin;

/**
 * Overload at three times the capacity, with a small log: every datagram sent is stored or counted
 * as dropped, the job does not restart, and it catches up when the load falls.
 *
 * <p>Stages, with continuous sequence numbers: warm-up; as fast as the sender can, until all is
 * stored, which gives the capacity; three times the capacity; a tenth of it until the job has
 * caught up. The traffic is NetFlow, whose datagrams have twice as many records as sFlow has
 * samples: the sender shares the cores with the job and must send three times what it stores.
 */
public final class OverloadBenchmark extends Benchmark {
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Rate rateOption = new Rate();

  private static final int SECONDS = 40;

  /** One, which leaves the sender enough processor time for three times the capacity. */
  private static final int SLOTS = 1;

  private static final int WARM_UP_SECONDS = 15;
  private static final int CAPACITY_SECONDS = 8;

  /** Later sequence numbers reveal the last drops. */
  private static final int AFTERWARDS_SECONDS = 2;

  private static final double WARM_UP_RATE = 100_000;
  private static final double FLAT_OUT = 1e9;
  private static final double TIMES = 3;

  /** Each exporter then sends some datagrams per second, which reveal earlier drops. */
  private static final double MIN_RATE = 1_000;

  private static final double LOW = 0.1;
  private static final long RETENTION_BYTES = 64L << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A sender that waited for a core catches up for at most this time, to keep the rate. */
  private static final long SLACK_NANOS = 500_000_000;

  private static final long LOOK_NANOS = 50_000_000;

  /** Lag in log values below which a job counts as caught up under traffic. */
  private static final long SMALL_LAG = 20;

  private volatile double rate;
  private final AtomicLong datagrams = new AtomicLong();
  private final AtomicLong samples = new AtomicLong();

  public OverloadBenchmark() {
    super(
        "overload",
        "three times the capacity: stored + counted as dropped = sent; time to catch up");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(
        WARM_UP_SECONDS + 4L * CAPACITY_SECONDS + 2L * secondsOption.or(SECONDS));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    MillraceConfig defaults = MillraceConfig.defaults();
    MillraceConfig config =
        defaults
            .withSection(defaults.log().withRetention(RETENTION_BYTES, defaults.log().retention()))
            .withSection(defaults.job().withSlots(SLOTS));
    int seconds = secondsOption.or(SECONDS);
    try (UdpRun run = UdpRun.ofRecords(context, config, seconds)) {
      Millrace millrace = run.millrace();
      rate = WARM_UP_RATE;
      CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(run.sender()));
      rest(Math.min(WARM_UP_SECONDS, seconds));
      double capacity = capacity(context, millrace, Math.min(CAPACITY_SECONDS, seconds));
      context.progress().accept("3 × " + Math.round(capacity) + " samples/s");
      long before = samples.get();
      long rowsBefore = millrace.table().rows();
      rate = TIMES * capacity;
      rest(seconds);
      rate = Math.max(MIN_RATE, LOW * capacity);
      double offered = (samples.get() - before) / (double) seconds;
      double stored = (millrace.table().rows() - rowsBefore) / (double) seconds;
      double drained = awaitCaughtUp(millrace);
      awaitSeen(millrace);
      rest(AFTERWARDS_SECONDS);
      // Low, since no later datagram would reveal a drop of the last ones.
      rate = Math.max(MIN_RATE, LOW * LOW * capacity);
      awaitSeen(millrace);
      run.sender().stop();
      sending.join();
      report(context, millrace, capacity, offered, stored, drained, seconds);
    }
  }

  private void send(UdpSender sender) {
    try {
      sender.send(
          new DialPace(second -> rate, SLACK_NANOS), Long.MAX_VALUE, Long.MAX_VALUE, this::count);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void count(ExportDatagram datagram, long dueNanos, long sentNanos) {
    datagrams.incrementAndGet();
    samples.addAndGet(datagram.samples());
  }

  private static void rest(int seconds) {
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Rows per second, from the start of a flood until all of it is stored or dropped. */
  private double capacity(BenchContext context, Millrace millrace, int seconds) {
    if (rateOption.value() > 0) {
      return rateOption.value();
    }
    context.progress().accept("measuring the capacity");
    long start = System.nanoTime();
    long rows = millrace.table().rows();
    rate = FLAT_OUT;
    rest(seconds);
    rate = WARM_UP_RATE * LOW;
    awaitSeen(millrace);
    awaitCounted(millrace);
    return (millrace.table().rows() - rows) / ((System.nanoTime() - start) / 1e9);
  }

  private static double awaitCaughtUp(Millrace millrace) {
    long start = System.nanoTime();
    while (millrace.job().lagValues() > SMALL_LAG) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw new WrongResultException("the job does not catch up: " + millrace.status());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return (System.nanoTime() - start) / 1e9;
  }

  /**
   * Waits until the ledger knows all datagrams sent so far. Sending continues, and later sequence
   * numbers reveal gaps.
   */
  private void awaitSeen(Millrace millrace) {
    long sent = datagrams.get();
    long start = System.nanoTime();
    while (System.nanoTime() - start < PATIENCE.toNanos()) {
      long seen = 0;
      for (LossLedger.Entry entry : millrace.ledger().exporters()) {
        seen += entry.collected().sent();
      }
      if (seen >= sent) {
        return;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    throw new WrongResultException(
        "the ledger lacks some of " + sent + " datagrams sent: " + millrace.ledger());
  }

  /** Waits until all datagrams sent so far are stored or counted as dropped. */
  private void awaitCounted(Millrace millrace) {
    long sent = datagrams.get();
    long start = System.nanoTime();
    while (System.nanoTime() - start < PATIENCE.toNanos()) {
      long counted = 0;
      for (LossLedger.Entry entry : millrace.ledger().exporters()) {
        counted +=
            entry.job().stored()
                + entry.collected().missing()
                + entry.droppedByUs()
                + entry.expired();
      }
      if (counted >= sent) {
        return;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    throw new WrongResultException(
        "not all of " + sent + " datagrams sent are stored or dropped: " + millrace.ledger());
  }

  private void report(
      BenchContext context,
      Millrace millrace,
      double capacity,
      double offered,
      double stored,
      double drained,
      int seconds) {
    // The ledger has losses in the log after the next checkpoint.
    boolean rest = millrace.awaitDrained(PATIENCE);
    LossLedger.Report ledger = millrace.ledger();
    if (!rest || !ledger.violations().isEmpty()) {
      throw new WrongResultException("the ledger does not add up: " + ledger);
    }
    WrongResultException.check("restarts of the job", 0, millrace.job().restarts());
    long sent = 0;
    long kept = 0;
    long kernel = 0;
    long network = 0;
    long collector = 0;
    long expired = 0;
    long rows = 0;
    for (LossLedger.Entry entry : ledger.exporters()) {
      ExporterStats stats = entry.collected();
      sent += stats.sent();
      kept += entry.job().stored();
      kernel += stats.droppedByKernel();
      network += stats.lostBefore() + stats.lostWhileDown();
      collector += entry.droppedByUs();
      expired += entry.expired();
      rows += entry.job().rows();
    }
    WrongResultException.check("datagrams sent", datagrams.get(), sent);
    WrongResultException.check(
        "stored and dropped", datagrams.get(), kept + kernel + network + collector + expired);
    WrongResultException.check("rows", millrace.table().rows(), rows);
    context.report(
        Figure.of(name(), "unaccounted", 0, "datagrams")
            .with("sent", sent)
            .with("stored", kept)
            .with("dropped_by_kernel", kernel)
            .with("lost_before", network)
            .with("dropped_by_collector", collector)
            .with("expired_in_log", expired)
            .aiming(Figure.Target.atMost(0)));
    context.report(
        Figure.of(name(), "rate", stored, "rows")
            .with("offered", Math.round(offered))
            .with("capacity", Math.round(capacity))
            .with("seconds", seconds)
            .with("log_bytes", RETENTION_BYTES));
    context.report(Figure.of(name(), "drain_s", drained, "s").with("load", LOW + " × capacity"));
  }
}
