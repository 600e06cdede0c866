package io.millrace.engine.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Runs cases in sequence, and reports the first whose final table is impossible in a run without
 * failures.
 *
 * <p>Each seed is run without a failure first. Then it is run again once for each of its steps,
 * with a failure before that step; a third of these runs has a second failure soon after, mostly
 * during recovery.
 */
final class Checker {
  private static final List<List<Integer>> PARALLELISMS =
      List.of(List.of(1), List.of(2), List.of(1, 2, 1), List.of(2, 1, 2));
  private static final int SOON = 25;

  private final Breakage breakage;
  private int runs;
  private int attempts;
  private int restored;
  private int rewound;
  private int rejected;
  private long steps;
  private int seedsWithChoice;
  private int seeds;

  Checker(Breakage breakage) {
    this.breakage = breakage;
  }

  /** Runs that many cases, up to the first failing one; returns its report. */
  Optional<String> check(int max) throws Exception {
    for (long seed = 1; runs < max; seed++) {
      Optional<String> failure = checkSeed(seed, max);
      if (failure.isPresent()) {
        return failure;
      }
    }
    return Optional.empty();
  }

  private Optional<String> checkSeed(long seed, int max) throws Exception {
    List<Integer> parallelisms = PARALLELISMS.get((int) (seed % PARALLELISMS.size()));
    Case undisturbed = new Case(seed, parallelisms, List.of(), breakage);
    Scenario scenario = Scenario.of(seed);
    Outcomes outcomes = outcomes(undisturbed, scenario);
    seeds++;
    seedsWithChoice += outcomes.count() > 1 ? 1 : 0;
    Simulation.Result first = Simulation.run(undisturbed, scenario);
    Optional<String> failure = judge(undisturbed, first, outcomes);
    Random random = new Random(seed);
    for (int step = 0; step < first.steps() && runs < max && failure.isEmpty(); step++) {
      Case disturbed = undisturbed.with(faults(step, random));
      failure = judge(disturbed, Simulation.run(disturbed, scenario), outcomes);
    }
    return failure;
  }

  private static List<Case.Fault> faults(int step, Random random) {
    Case.Victim[] victims = Case.Victim.values();
    List<Case.Fault> faults = new ArrayList<>();
    faults.add(new Case.Fault(step, victims[random.nextInt(victims.length)]));
    if (random.nextInt(3) == 0) {
      faults.add(
          new Case.Fault(step + 1 + random.nextInt(SOON), victims[random.nextInt(victims.length)]));
    }
    return faults;
  }

  /** Runs one case; returns its report. */
  static Optional<String> check(Case one) throws Exception {
    Scenario scenario = Scenario.of(one.seed());
    return new Checker(one.breakage())
        .judge(one, Simulation.run(one, scenario), outcomes(one, scenario));
  }

  /** If the parallelism changes, keys are as independent as at the greatest one. */
  private static Outcomes outcomes(Case of, Scenario scenario) {
    return new Outcomes(
        scenario,
        of.parallelisms().stream().mapToInt(Integer::intValue).max().orElseThrow(),
        of.breakage() == Breakage.PLACE_OF_FIRST_INPUT);
  }

  private Optional<String> judge(Case run, Simulation.Result result, Outcomes outcomes) {
    runs++;
    attempts += result.attempts();
    restored += result.restored();
    rewound += result.rewound();
    rejected += result.rejected();
    steps += result.steps();
    String wrong = result.violation();
    if (wrong == null && !outcomes.contains(result.rows())) {
      wrong = "no run without a failure ends with these rows";
    }
    if (wrong == null) {
      return Optional.empty();
    }
    return Optional.of(
        """
        %s
        case       %s   (run it alone: -Dmillrace.checker.case=%s)
        rows       %s
        possible   %s
        schedule
          %s"""
            .formatted(
                wrong, run, run, result.rows(), outcomes, String.join("\n  ", result.schedule())));
  }

  /** The cases, for the log. */
  @Override
  public String toString() {
    return """
        %d runs of %d seeds (%d with more than one outcome), %d steps; \
        %d attempts of the job, %d of them from a checkpoint; \
        %d rows rewound, %d calls of former attempts rejected"""
        .formatted(runs, seeds, seedsWithChoice, steps, attempts, restored, rewound, rejected);
  }

  /** Whether all possible effects of a failure occurred, so that the runs are meaningful. */
  boolean hasSeenEverything() {
    return attempts > runs && restored > 0 && rewound > 0 && rejected > 0;
  }

  /** Share of the seeds for which the outcome depends on the order of arrival. */
  double shareWithChoice() {
    return (double) seedsWithChoice / seeds;
  }
}
