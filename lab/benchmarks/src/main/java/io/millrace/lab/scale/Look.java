package io.millrace.lab.scale;

import io.millrace.lab.harness.ProcessUse;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What has been done and used up to a moment.
 *
 * @param nanos the moment, {@link System#nanoTime}
 * @param done rows or queries
 * @param use by kind of process
 * @param machineSeconds processor time of the machine
 */
record Look(long nanos, long done, Map<String, ProcessUse> use, double machineSeconds) {
  /** Key of this process, which measures. */
  static final String BENCHMARK = "benchmark";

  /**
   * A look now.
   *
   * @param processes their numbers by kind
   */
  static Look now(long done, Map<String, ? extends Collection<Long>> processes) throws IOException {
    long nanos = System.nanoTime();
    Map<String, ProcessUse> use = new LinkedHashMap<>();
    processes.forEach((kind, pids) -> use.put(kind, ProcessUse.ofAll(pids)));
    use.put(BENCHMARK, ProcessUse.of(ProcessHandle.current().pid()));
    return new Look(nanos, done, use, ProcessUse.machineSeconds());
  }

  /** What was done and used since another look. */
  Span since(Look before) {
    Map<String, ProcessUse> used = new LinkedHashMap<>();
    use.forEach((kind, now) -> used.put(kind, now.since(before.use.get(kind))));
    return new Span(
        (nanos - before.nanos) / 1e9,
        done - before.done,
        used,
        machineSeconds - before.machineSeconds);
  }

  /**
   * The time between two looks.
   *
   * @param machineSeconds processor time of the machine, other programs included
   */
  record Span(double seconds, long done, Map<String, ProcessUse> use, double machineSeconds) {
    double rate() {
      return done / seconds;
    }

    /** Processor time of a kind of processes for one row or query, seconds. */
    double cpuOfOne(String kind) {
      return use.get(kind).cpuSeconds() / done;
    }

    /** Cores that a kind of processes used. */
    double cores(String kind) {
      return use.get(kind).cpuSeconds() / seconds;
    }

    /** Cores that programs used which have nothing to do with this benchmark. */
    double coresOfOthers() {
      double own = use.values().stream().mapToDouble(ProcessUse::cpuSeconds).sum();
      return Math.max(0, machineSeconds - own) / seconds;
    }
  }
}
