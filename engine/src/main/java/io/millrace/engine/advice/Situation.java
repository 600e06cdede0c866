package io.millrace.engine.advice;

import io.millrace.engine.job.ClusterStatus;
import io.millrace.engine.job.ClusterStatus.Host;
import io.millrace.engine.job.ClusterStatus.Job;
import io.millrace.engine.job.ClusterStatus.Load;
import io.millrace.engine.job.ClusterStatus.Step;
import io.millrace.engine.job.ClusterStatus.Subtask;
import io.millrace.engine.job.ClusterStatus.TaskManager;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A step and what the rules look at around it.
 *
 * @param growth by what factor more this step will get to do when the steps that hold the job up
 *     have what they need; 1 if none does
 */
record Situation(ClusterStatus cluster, Job job, Step step, double growth) {
  Load load() {
    return step.load();
  }

  int parallelism() {
    return step.parallelism();
  }

  boolean isSource() {
    return step.inputs().isEmpty();
  }

  /** The busy share that is to be expected once nothing else holds the job up. */
  double expectedBusy() {
    return load().busy() * growth;
  }

  /** The greatest back-pressured share of the steps before; empty if unknown. */
  Optional<Double> inputBackPressured() {
    return job.steps().stream()
        .filter(other -> step.inputs().contains(other.id()))
        .map(other -> other.load().backPressured())
        .filter(Objects::nonNull)
        .max(Double::compare);
  }

  /**
   * Subtasks that the step can have: the job's slots and the free ones (all steps share slots), no
   * more than there are cores, and what the step's keys allow.
   */
  int limit() {
    int held = job.steps().stream().mapToInt(Step::parallelism).max().orElse(0);
    int slots = held + cluster.hosts().stream().mapToInt(Host::freeSlots).sum();
    int most = Math.min(slots, step.maxParallelism());
    int cores = cluster.hosts().stream().mapToInt(Host::cores).sum();
    return cores > 0 ? Math.min(most, cores) : most;
  }

  /** Hosts on which the step runs. */
  List<Host> hosts() {
    List<String> ids = step.subtasks().stream().map(Subtask::taskManager).toList();
    return cluster.hosts().stream()
        .filter(host -> host.taskManagers().stream().anyMatch(one -> ids.contains(one.id())))
        .toList();
  }

  Optional<Host> hostOf(Subtask subtask) {
    return cluster.hosts().stream()
        .filter(
            host ->
                host.taskManagers().stream()
                    .anyMatch(one -> one.id().equals(subtask.taskManager())))
        .findFirst();
  }

  /**
   * Whether a host is full, and two thirds of that or more are not our doing: a subtask that is all
   * busy has one core at most.
   */
  boolean usedByOthers(Host host) {
    return usedByOthers(cluster, host);
  }

  static boolean usedByOthers(ClusterStatus cluster, Host host) {
    List<String> ids = host.taskManagers().stream().map(TaskManager::id).toList();
    double ours =
        cluster.jobs().stream()
            .flatMap(one -> one.steps().stream())
            .flatMap(one -> one.subtasks().stream())
            .filter(subtask -> ids.contains(subtask.taskManager()))
            .map(subtask -> subtask.load().busy())
            .filter(Objects::nonNull)
            .mapToDouble(Double::doubleValue)
            .sum();
    return cluster.overloadedHosts().contains(host.name())
        && ours < host.cpu().mean() * host.cores() / 3;
  }

  boolean overloaded(Host host) {
    return cluster.overloadedHosts().contains(host.name());
  }
}
