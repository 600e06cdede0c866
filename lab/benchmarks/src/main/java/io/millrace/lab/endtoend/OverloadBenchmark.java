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
 * Three times as much as can be stored, and a log that keeps little: what is sent is stored or
 * counted as dropped, datagram by datagram, nothing dies, and when the load falls the job catches
 * up.
 *
 * <p>Stages, on one connection whose numbers go on: warm-up; as fast as the sender can, until all
 * of it is stored, which gives the capacity; three times the capacity; a tenth of it until nothing
 * lags. The records come as NetFlow, of which a datagram has twice as many as sFlow has samples: a
 * sender that shares the cores with the job has to send three times what that stores.
 */
public final class OverloadBenchmark extends Benchmark {
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Rate rateOption = new Rate();

  private static final int SECONDS = 40;

  /** One, so that a sender on the same machine has the cores to send three times as much. */
  private static final int SLOTS = 1;

  private static final int WARM_UP_SECONDS = 15;
  private static final int CAPACITY_SECONDS = 8;

  /** Numbers that arrive later show what was dropped last. */
  private static final int AFTERWARDS_SECONDS = 2;

  private static final double WARM_UP_RATE = 100_000;
  private static final double FLAT_OUT = 1e9;
  private static final double TIMES = 3;

  /** Each exporter sends some datagrams a second, which show what was dropped before. */
  private static final double MIN_RATE = 1_000;

  private static final double LOW = 0.1;
  private static final long RETENTION_BYTES = 64L << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A sender that waits for a core sends what it owes when it has one: the rate is kept. */
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
      // None of the last ones may be dropped, which no later one would show.
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

  /** Rows a second, from the beginning of a flood to the end of its storing. */
  private double capacity(BenchContext context, Millrace millrace, int seconds) {
    if (rateOption.value() > 0) {
      return rateOption.value();
    }
    context.progress().accept("how much can be stored");
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

  /** Until what has been sent so far is known: sending goes on, and later numbers show gaps. */
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
        "not all of " + sent + " datagrams sent are known: " + millrace.ledger());
  }

  /** Until what has been sent so far is stored or dropped. */
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
    // What the log has lost is known with the next checkpoint, so some patience is due.
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
