package io.millrace.engine.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One run of the job: a scheduler randomly picks possible steps, by the seed, until all inputs have
 * reached the table; failures occur at given steps.
 *
 * <p>After a failure, the other tasks continue until it is detected, which is also a step. Then
 * another attempt of the job starts from the newest checkpoint. The tasks of the previous attempt
 * are cancelled, or they are frozen, wake up later, and run concurrently until they are rejected or
 * have nothing left to do.
 */
final class Simulation {
  private static final int MAX_STEPS = 10_000;
  private static final int LONGEST_SLEEP = 100;

  /** Number of successive picks of slow steps after which one is taken. */
  private static final int TIMEOUT = 4;

  /**
   * Result of a run.
   *
   * @param steps of the run
   * @param attempts attempts of the job
   * @param restored attempts that started from a checkpoint
   * @param rewound rows that were deleted to be written again
   * @param rejected rejected calls of former attempts
   * @param rows in the table at the end
   * @param violation of an invariant; null if there was none
   * @param schedule the steps by name
   */
  record Result(
      int steps,
      int attempts,
      int restored,
      int rewound,
      int rejected,
      List<Row> rows,
      String violation,
      List<String> schedule) {}

  /** An attempt that continues after another one has started. */
  private record Zombie(Attempt attempt, int wakesAt) {}

  private final Case run;
  private final Scenario scenario;
  private final Random random;
  private final Table table;
  private final List<Zombie> zombies = new ArrayList<>();
  private final List<String> schedule = new ArrayList<>();
  private JobManager manager;
  private Attempt attempt;
  private long attempts;
  private int steps;
  private int restored;
  private boolean managerIsDead;
  private String violation;

  private Simulation(Case run, Scenario scenario) {
    this.run = run;
    this.scenario = scenario;
    this.random = new Random(run.seed() * 31 + 17);
    this.table = new Table(run.breakage());
  }

  static Result run(Case run, Scenario scenario) throws Exception {
    return new Simulation(run, scenario).run();
  }

  private Result run() throws Exception {
    int sources = scenario.partitions().size();
    begin(new JobManager(sources, parallelism(), Checkpoint.NONE, 0, run.breakage(), random));
    int faults = 0;
    List<Step> possible = new ArrayList<>();
    while (!isOver() && violation == null) {
      if (faults < run.faults().size() && run.faults().get(faults).step() == steps) {
        fail(run.faults().get(faults++).victim());
      }
      possible.clear();
      steps(possible);
      take(possible);
      if (++steps > MAX_STEPS) {
        violation = "no end after " + MAX_STEPS + " steps";
      }
    }
    if (violation == null) {
      for (SinkTask sink : attempt.sinks()) {
        sink.finish();
      }
      goOnWithZombies(possible);
    }
    if (violation == null) {
      violation = table.violation();
    }
    return new Result(
        steps,
        (int) attempts,
        restored,
        table.rewound(),
        table.rejected(),
        table.rows(),
        violation,
        schedule);
  }

  private void goOnWithZombies(List<Step> possible) throws Exception {
    while (violation == null) {
      possible.clear();
      zombies.forEach(zombie -> zombie.attempt().steps(possible));
      if (possible.isEmpty()) {
        return;
      }
      take(possible);
    }
  }

  private void steps(List<Step> out) {
    attempt.steps(out);
    for (Zombie zombie : zombies) {
      if (zombie.wakesAt() <= steps) {
        zombie.attempt().steps(out);
      }
    }
    if (!managerIsDead) {
      manager.steps(out);
    }
    if (hasFailed()) {
      out.add(new Step("the failure is noticed", this::restart));
    }
  }

  private void take(List<Step> possible) throws Exception {
    if (possible.isEmpty()) {
      violation = "nothing can happen any more";
      return;
    }
    Step step = possible.get(random.nextInt(possible.size()));
    for (int i = 1; i < TIMEOUT && step.isSlow(); i++) {
      step = possible.get(random.nextInt(possible.size()));
    }
    schedule.add(step.name());
    step.action().run();
    violation = table.violation();
    if (violation == null && manager.hasFailedTheJob()) {
      violation = "the sink's coordinator fails the job, though all of it has begun again";
    }
  }

  private boolean hasFailed() {
    return managerIsDead || attempt.someTaskIsDead();
  }

  private boolean isOver() {
    return !hasFailed() && attempt.isIdle() && manager.isIdle();
  }

  private void fail(Case.Victim victim) {
    int index = random.nextInt(attempt.parallelism());
    switch (victim) {
      case SOURCE -> attempt.sources().get(random.nextInt(attempt.sources().size())).dead = true;
      case SUM -> attempt.sums().get(index).dead = true;
      case SINK -> attempt.sinks().get(index).dead = true;
      case WORKER -> {
        attempt.sources().get(index).dead = true;
        attempt.sums().get(index).dead = true;
        attempt.sinks().get(index).dead = true;
      }
      case JOB_MANAGER -> managerIsDead = true;
    }
    schedule.add("** " + victim + " fails");
  }

  private int parallelism() {
    return run.parallelisms().get((int) attempts % run.parallelisms().size());
  }

  private void restart() throws Exception {
    if (random.nextBoolean()) {
      zombies.add(new Zombie(attempt, steps + random.nextInt(LONGEST_SLEEP)));
      schedule.add("** attempt " + attempt.token() + " is frozen, and wakes up at some time");
    } else {
      attempt.cancel();
    }
    if (managerIsDead || manager.parallelism() != parallelism()) {
      manager =
          new JobManager(
              scenario.partitions().size(),
              parallelism(),
              manager.newest(),
              manager.lastId(),
              run.breakage(),
              random);
    } else {
      manager.reset(random.nextBoolean());
    }
    managerIsDead = false;
    begin(manager);
  }

  private void begin(JobManager next) throws Exception {
    int parallelism = parallelism();
    manager = next;
    restored += manager.newest().id() > 0 ? 1 : 0;
    attempt =
        new Attempt(
            ++attempts, parallelism, scenario, manager.newest(), table, run.breakage(), manager);
    manager.run(attempt);
  }
}
