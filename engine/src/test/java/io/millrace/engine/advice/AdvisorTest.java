package io.millrace.engine.advice;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.advice.Advice.Verdict;
import io.millrace.engine.job.ClusterStatus;
import io.millrace.engine.job.ClusterStatus.Checkpoints;
import io.millrace.engine.job.ClusterStatus.Host;
import io.millrace.engine.job.ClusterStatus.Job;
import io.millrace.engine.job.ClusterStatus.Load;
import io.millrace.engine.job.ClusterStatus.Step;
import io.millrace.engine.job.ClusterStatus.Subtask;
import io.millrace.engine.job.ClusterStatus.TaskManager;
import io.millrace.engine.job.ClusterStatus.Usage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clusters with one problem each, and the advice on it. */
class AdvisorTest {
  private final List<Host> hosts = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private Long lag = 0L;

  private void host(String name, int cores, int slots, int free, Double cpu) {
    hosts.add(
        new Host(
            name,
            name,
            cores,
            cpu == null ? null : new Usage(cpu, 0),
            500,
            0,
            List.of(),
            List.of(new TaskManager("tm-" + name, name, slots, free))));
  }

  /**
   * A step that reads the previous one; its subtasks are distributed round-robin over the hosts.
   */
  private void step(String name, double backPressured, double... busy) {
    List<String> names = hosts.stream().map(Host::name).toList();
    stepOn(name, backPressured, names, busy);
  }

  private void stepOn(String name, double backPressured, List<String> on, double... busy) {
    List<Subtask> subtasks = new ArrayList<>();
    double sum = 0;
    for (int i = 0; i < busy.length; i++) {
      String host = on.get(i % on.size());
      double idle = Math.max(0, 1 - busy[i] - backPressured);
      Load load = new Load(100.0, 100.0, 10.0, 10.0, busy[i], backPressured, idle, null);
      subtasks.add(new Subtask(i, "RUNNING", host, "tm-" + host, load));
      sum += busy[i];
    }
    double mean = sum / busy.length;
    Load load =
        new Load(
            100.0,
            100.0,
            10.0,
            10.0,
            mean,
            backPressured,
            Math.max(0, 1 - mean - backPressured),
            null);
    List<String> inputs = steps.isEmpty() ? List.of() : List.of(steps.get(steps.size() - 1).id());
    steps.add(new Step(name, name, "RUNNING", busy.length, 128, inputs, load, subtasks));
  }

  private Advice advise() {
    Job job =
        new Job("1", "flows", "RUNNING", 0, 0, lag, null, new Checkpoints(null, 0, 0, 0), steps);
    return Advisor.advise(ClusterStatus.of(0, "2.3.0", hosts, List.of(job)));
  }

  private List<String> lines() {
    Advice advice = advise();
    List<String> lines = new ArrayList<>();
    advice
        .steps()
        .forEach(
            step ->
                lines.add(
                    step.step()
                        + ' '
                        + step.verdict()
                        + ' '
                        + step.parallelism()
                        + (step.verdict() == Verdict.KEEP ? "" : "→" + step.suggested())
                        + ": "
                        + step.reason()));
    advice.notes().forEach(note -> lines.add("! " + note));
    return lines;
  }

  @Test
  void aJobThatIsAsItShouldBe() {
    host("a", 4, 4, 2, 0.6);
    step("source", 0, 0.5, 0.5);
    step("work", 0, 0.68, 0.7);
    assertThat(lines())
        .containsExactly("source KEEP 2: busy 50%, idle 50%", "work KEEP 2: busy 69%, idle 31%");
    assertThat(advise().steps()).noneMatch(Advice.OnStep::noteworthy);
  }

  @Test
  void aFullStepGetsWhatItsWorkNeedsAtTheTarget() {
    host("a", 8, 8, 6, 0.4);
    step("source", 0.45, 0.2, 0.2);
    step("work", 0, 0.95, 0.93);
    step("store", 0, 0.5, 0.5);
    assertThat(lines())
        .containsExactly(
            "source KEEP 2: busy 20%, idle 35%, back-pressured 45%: a downstream step limits it",
            "work MORE 2→3: busy 94%, idle 6%, upstream step back-pressured 45%: saturated",
            "store KEEP 2: busy 50%, idle 50%");
    assertThat(advise().toJson().path("steps").findValuesAsText("noteworthy"))
        .containsExactly("true", "true", "false");
  }

  @Test
  void theStepThatWouldBeNextGetsMoreTooAndTheIdleOneKeepsItsOwn() {
    host("a", 16, 16, 12, 0.4);
    step("source", 0.5, 0.3, 0.3, 0.3, 0.3);
    step("work", 0, 1.0, 1.0, 1.0, 1.0);
    step("store", 0, 0.65, 0.65, 0.65, 0.65);
    step("count", 0, 0.25, 0.25, 0.25, 0.25);
    assertThat(lines())
        .containsExactly(
            "source KEEP 4: busy 30%, idle 20%, back-pressured 50%: a downstream step limits it",
            "work MORE 4→6: busy 100%, idle 0%, upstream step back-pressured 50%: saturated",
            "store MORE 4→6: busy 65%, idle 35%: busy share would be 98% once the limiting"
                + " steps have more subtasks",
            "count KEEP 4: busy 25%, idle 75%");
  }

  @Test
  void moreThanThereAreSlotsOrCoresIsNotSuggested() {
    host("a", 3, 8, 6, 0.5);
    step("work", 0, 1.0, 1.0);
    step("other", 0, 0.95, 0.95);
    assertThat(lines())
        .containsExactly(
            "work MORE 2→3: busy 100%, idle 0%: saturated",
            "other MORE 2→3: busy 95%, idle 5%: saturated");
    hosts.clear();
    host("a", 8, 2, 0, 0.5);
    assertThat(lines())
        .containsExactly(
            "work KEEP 2: busy 100%, idle 0%: saturated, 3 subtasks would suffice, but slots"
                + " and cores allow 2: add a TaskManager or slots, on more cores",
            "other KEEP 2: busy 95%, idle 5%: saturated, 3 subtasks would suffice, but slots"
                + " and cores allow 2: add a TaskManager or slots, on more cores");
    hosts.clear();
    host("a", 8, 5, 1, 0.5);
    steps.clear();
    step("work", 0, 1.0, 1.0, 1.0, 1.0);
    assertThat(lines())
        .containsExactly(
            "work MORE 4→5: busy 100%, idle 0%: saturated; 6 would suffice, slots and cores"
                + " allow 5");
  }

  @Test
  void fewSubtasksDoWhatManyDo() {
    host("a", 16, 8, 0, 0.3);
    step("source", 0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1);
    step("single", 0, 0.05);
    assertThat(lines())
        .containsExactly(
            "source LESS 8→2: busy 10%, idle 90%: at this load, parallelism 2 gives a busy share of"
                + " 40%",
            "single KEEP 1: busy 5%, idle 95%");
  }

  @Test
  void aSkewedStepIsNotHelpedByMoreSubtasks() {
    host("a", 8, 8, 4, 0.4);
    step("source", 0, 0.99, 0.2, 0.2, 0.2);
    step("work", 0, 0.97, 0.3, 0.2, 0.25);
    assertThat(lines())
        .containsExactly(
            "source KEEP 4: subtask 0 is busy 99%, the others 20% on average: it reads fuller"
                + " partitions; spread the writers over all partitions of the log, more subtasks would"
                + " not help it",
            "work KEEP 4: subtask 0 is busy 97%, the others 25% on average: its keys or partitions"
                + " receive more rows than the others; split the hot key, more subtasks would not"
                + " help"
                + " it");
  }

  @Test
  void aFullHostLooksLikeSkewAndIsNot() {
    host("a", 2, 2, 1, 0.98);
    host("b", 2, 2, 1, 0.3);
    step("work", 0, 0.97, 0.3);
    assertThat(lines())
        .containsExactly(
            "work KEEP 2: subtask 0 is busy 97%, the others 30% on average: its host a is full"
                + " (see the advice on hosts); more subtasks would not help",
            "! host a is full (98% of its 2 cores): fewer slots there (taskmanager.numberOfTaskSlots),"
                + " or spread subtasks over the others");
  }

  @Test
  void fullCoresAreSharedByMoreSubtasksToo() {
    host("a", 2, 4, 2, 0.99);
    step("work", 0, 0.97, 0.96);
    assertThat(lines())
        .containsExactly(
            "work KEEP 2: busy 97%, idle 4%: full, but so are the cores of its hosts (a 99%); more"
                + " subtasks would share them, so add a host",
            "! host a is full (99% of its 2 cores): add a host");
  }

  @Test
  void idleHostsAreNamedIfOthersAreFull() {
    host("a", 2, 2, 0, 0.97);
    host("b", 2, 2, 2, 0.01);
    host("c", 2, 2, 1, 0.04);
    stepOn("work", 0, List.of("a", "a", "c"), 0.95, 0.9, 0.9);
    assertThat(lines())
        .containsExactly(
            "work MORE 3→4: busy 92%, idle 8%: saturated",
            "! host a is full (97% of its 2 cores): fewer slots there"
                + " (taskmanager.numberOfTaskSlots), or spread subtasks over the others",
            "! host b runs nothing, 2 slots are free: set taskmanager.load-balance.mode: SLOTS (and with"
                + " the adaptive scheduler jobmanager.adaptive-scheduler.prefer-minimal-taskmanagers:"
                + " false), so that subtasks are spread",
            "! host c idles (4% of its 2 cores) while a is full: set taskmanager.load-balance.mode:"
                + " SLOTS (and with the adaptive scheduler"
                + " jobmanager.adaptive-scheduler.prefer-minimal-taskmanagers: false), so that subtasks"
                + " are spread");
  }

  @Test
  void anEmptyHostIsForTheStepThatWantsMoreOrNotNeeded() {
    host("a", 2, 2, 0, 0.5);
    host("b", 2, 2, 2, 0.01);
    stepOn("work", 0, List.of("a"), 0.95, 0.95);
    assertThat(lines())
        .contains("! host b runs nothing, 2 slots are free: give it subtasks of the steps above");
    steps.clear();
    stepOn("work", 0, List.of("a"), 0.5, 0.5);
    assertThat(lines()).contains("! host b runs nothing, 2 slots are free: no job needs it now");
  }

  @Test
  void aSourceThatIdlesDespiteALagHasASlowLog() {
    host("a", 4, 4, 2, 0.3);
    lag = 12_345L;
    step("source", 0, 0.2, 0.2);
    assertThat(lines())
        .containsExactly(
            "source KEEP 2: busy 20%, idle 80%, with 12,345 unread values in the log: the log or"
                + " the path to it is slow (brokers, network, too few partitions)");
  }

  @Test
  void stepsWithoutMeasurementsAreNotJudged() {
    host("a", 4, 4, 2, null);
    steps.add(
        new Step(
            "x",
            "x",
            "RUNNING",
            1,
            128,
            List.of(),
            Load.UNKNOWN,
            List.of(new Subtask(0, "RUNNING", "a", "tm-a", Load.UNKNOWN))));
    assertThat(lines()).containsExactly("x KEEP 1: its busy share is not measured yet");
  }

  @Test
  void nothingIsTakenAwayWhileOtherProcessesHaveTheCores() {
    host("a", 4, 4, 0, 0.99);
    step("source", 0, 0.02, 0.02, 0.02, 0.02);
    step("sink", 0, 0.1, 0.1, 0.1, 0.1);
    assertThat(lines().subList(0, 2))
        .allMatch(line -> line.contains("KEEP 4") && line.contains("other processes"));
    assertThat(lines().get(2)).contains("most of that is other processes");
    hosts.clear();
    host("a", 4, 4, 0, 0.5);
    assertThat(lines()).hasSize(2).allMatch(line -> line.contains("LESS"));
  }
}
