package io.millrace.lab.siege;

import io.millrace.lab.siege.Outcome.After;
import io.millrace.lab.siege.Outcome.Cores;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A phase of some seconds of legitimate load under attacks, followed by the recovery, and by the
 * accounting while nobody sends.
 */
final class Phase {
  private static final long LOOK_NANOS = 200_000_000;

  /** Window of due times for the rate and freshness after an attack. */
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long MIB = 1 << 20;

  private final Stand stand;
  private final String name;
  private final List<String> attacks;
  private final int seconds;
  private final int mostBackSeconds;

  /**
   * @param attacks names of the attacks that run at once
   * @param mostBackSeconds maximum time to wait for recovery
   */
  Phase(Stand stand, String name, List<String> attacks, int seconds, int mostBackSeconds) {
    this.stand = stand;
    this.name = name;
    this.attacks = attacks;
    this.seconds = seconds;
    this.mostBackSeconds = mostBackSeconds;
  }

  /**
   * Runs the phase.
   *
   * @param quiet outcome of the phase without attacks; null if there is none yet
   */
  Outcome run(Outcome quiet, long seed) throws IOException {
    Freshness freshness = stand.freshness();
    Dashboard dashboard = stand.dashboard();
    long kernelDrops = stand.kernelDrops();
    long kernelRows = stand.rowsDroppedByKernel();
    long gatewaysLost = stand.gatewayRecordsLost();
    long gatewayRecords = stand.gatewayRecords();
    long gatewayFailures = stand.gatewayFailures();
    freshness.begin();
    dashboard.begin();
    stand.memory().begin();
    List<Attack> made = attacks.stream().map(Attacks::of).toList();
    double cpu = stand.cpuSeconds();
    long start = System.nanoTime();
    stand.resume();
    List<Attacker> attackers = attack(made, stand.target(seconds, seed));
    awaitEnd(start + TimeUnit.SECONDS.toNanos(seconds));
    long end = System.nanoTime();
    double took = (end - start) / 1e9;
    var cores =
        new Cores(
            (stand.cpuSeconds() - cpu) / took,
            attackers.stream().mapToDouble(Attacker::cpuSeconds).sum() / took);
    double gatewayRate = (stand.gatewayRecords() - gatewayRecords) / took;
    double metrics = dashboard.metricsMillis(start);
    double top = dashboard.topMillis(start);
    for (Attacker attacker : attackers) {
      attacker.close();
    }
    double back = quiet == null ? 0 : back(quiet, end);
    double p99 = freshness.p99(start, end);
    double pause = dashboard.pauseMillis();
    long counted = stand.pause();
    double rate = freshness.rate(start, end); // only now, as a count may take long
    long stored = Math.max(0, counted);
    long mostKernelRows = (stand.kernelDrops() - kernelDrops) * Stand.MAX_RECORDS;
    long kernel =
        Math.min(
            Math.max(0, freshness.sent() - stored),
            Math.min(mostKernelRows, stand.rowsDroppedByKernel() - kernelRows));
    return new Outcome(
        name,
        attacks.size() > 1 ? attacks : List.of(),
        attackers.stream().mapToLong(Attacker::strikes).sum(),
        attackers.stream().mapToLong(Attacker::rejections).sum(),
        freshness.sent(),
        stored,
        Math.max(0, kernel),
        stand.gatewayRecordsLost() - gatewaysLost,
        stand.gatewayFailures() - gatewayFailures,
        gatewayRate,
        rate,
        p99,
        stand.memory().peakMib(),
        pause,
        metrics,
        top,
        back,
        cores,
        after(),
        fate(counted >= 0));
  }

  private List<Attacker> attack(List<Attack> made, Target target) throws IOException {
    List<Attacker> attackers = new ArrayList<>();
    for (int i = 0; i < made.size(); i++) {
      attackers.add(new Attacker(made.get(i), target, Attacks.number(attacks.get(i))));
    }
    return attackers;
  }

  private void awaitEnd(long end) {
    while (stand.isAlive() && System.nanoTime() < end) {
      LockSupport.parkNanos(Math.min(LOOK_NANOS, Math.max(1, end - System.nanoTime())));
    }
  }

  /** Returns the seconds until figures are as in the quiet run; infinite on a timeout. */
  private double back(Outcome quiet, long end) {
    long settle = (long) (3 * quiet.p99Millis() * 1e6); // by then a row is visible
    double seconds = 0;
    while (stand.isAlive() && seconds < mostBackSeconds) {
      LockSupport.parkNanos(LOOK_NANOS);
      long now = System.nanoTime();
      seconds = (now - end) / 1e9;
      long to = now - settle;
      if (to - WINDOW_NANOS < end) {
        continue;
      }
      if (Outcome.isQuiet(
          quiet,
          stand.freshness().rate(to - WINDOW_NANOS, to),
          stand.freshness().p99(to - WINDOW_NANOS, to),
          stand.dashboard().metricsMillis(now - 2 * WINDOW_NANOS),
          stand.dashboard().checkpointAgeMillis())) {
        return seconds;
      }
    }
    return Double.POSITIVE_INFINITY;
  }

  private After after() {
    var status = stand.dashboard().status();
    return new After(
        status.path("disk_bytes").asDouble() / MIB,
        status.path("checkpoint").path("bytes").asDouble() / MIB,
        stand.dashboard().series(),
        stand.heapMib());
  }

  private String fate(boolean isAnswering) {
    if (stand.memory().hasEnded()) {
      return "killed by the benchmark: memory above its budget";
    }
    if (!stand.isAlive()) {
      return "the process exited";
    }
    return isAnswering ? "" : "does not respond: " + stand.lastFailure();
  }
}
