package io.millrace.lab.scale;

import io.millrace.lab.harness.ProcessUse;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Measurements up to a point in time.
 *
 * @param nanos time of the measurement, {@link System#nanoTime}
 * @param done rows or queries
 * @param use resources by kind of process
 * @param machineSeconds processor time of the machine
 */
record Look(long nanos, long done, Map<String, ProcessUse> use, double machineSeconds) {
  /** Key of this process, which runs the benchmark. */
  static final String BENCHMARK = "benchmark";

  /**
   * Measures now.
   *
   * @param processes process IDs by kind
   */
  static Look now(long done, Map<String, ? extends Collection<Long>> processes) throws IOException {
    long nanos = System.nanoTime();
    Map<String, ProcessUse> use = new LinkedHashMap<>();
    processes.forEach((kind, pids) -> use.put(kind, ProcessUse.ofAll(pids)));
    use.put(BENCHMARK, ProcessUse.of(ProcessHandle.current().pid()));
    return new Look(nanos, done, use, ProcessUse.machineSeconds());
  }

  /** Returns the difference to an earlier measurement. */
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
   * Difference of two measurements.
   *
   * @param machineSeconds processor time of the machine, including unrelated programs
   */
  record Span(double seconds, long done, Map<String, ProcessUse> use, double machineSeconds) {
    double rate() {
      return done / seconds;
    }

    /** Returns the processor time of a kind of process per row or query, in seconds. */
    double cpuOfOne(String kind) {
      return use.get(kind).cpuSeconds() / done;
    }

    double cores(String kind) {
      return use.get(kind).cpuSeconds() / seconds;
    }

    /** Returns the cores that unrelated programs used. */
    double coresOfOthers() {
      double own = use.values().stream().mapToDouble(ProcessUse::cpuSeconds).sum();
      return Math.max(0, machineSeconds - own) / seconds;
    }
  }
}
