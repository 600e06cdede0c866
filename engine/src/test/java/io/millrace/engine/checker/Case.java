package io.millrace.engine.checker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Everything that determines a run: equal cases give equal runs, step by step.
 *
 * @param seed of the inputs and of the scheduler
 * @param parallelisms of the attempts of the job, in order
 * @param faults at most one per step, in order
 * @param breakage deliberate defect
 */
record Case(long seed, List<Integer> parallelisms, List<Fault> faults, Breakage breakage) {
  /** The failing tasks. */
  enum Victim {
    SOURCE,
    SUM,
    SINK,
    /** All tasks with the same number, like those that share a process. */
    WORKER,
    JOB_MANAGER
  }

  /**
   * A failure.
   *
   * @param step number of steps before it
   */
  record Fault(int step, Victim victim) {}

  Case with(List<Fault> others) {
    return new Case(seed, parallelisms, others, breakage);
  }

  /** For example {@code 17/1,2/23-SINK,40-SUM/NONE}; parsed by {@link #parse}. */
  @Override
  public String toString() {
    return seed
        + "/"
        + parallelisms.stream().map(String::valueOf).collect(Collectors.joining(","))
        + "/"
        + faults.stream()
            .map(fault -> fault.step + "-" + fault.victim)
            .collect(Collectors.joining(","))
        + "/"
        + breakage;
  }

  static Case parse(String text) {
    String[] parts = text.split("/", -1);
    List<Fault> faults = new ArrayList<>();
    for (String fault : parts[2].isEmpty() ? new String[0] : parts[2].split(",", -1)) {
      int dash = fault.indexOf('-');
      faults.add(
          new Fault(
              Integer.parseInt(fault.substring(0, dash)),
              Victim.valueOf(fault.substring(dash + 1))));
    }
    return new Case(
        Long.parseLong(parts[0]),
        Arrays.stream(parts[1].split(",", -1)).map(Integer::valueOf).toList(),
        faults,
        Breakage.valueOf(parts[3]));
  }
}
