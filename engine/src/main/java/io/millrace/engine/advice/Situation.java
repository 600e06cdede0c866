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
 * A step; {@code growth} is its load's factor once the limiting steps have enough subtasks, ≥ 1.
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

  double expectedBusy() {
    return load().busy() * growth;
  }

  Optional<Double> inputBackPressured() {
    return job.steps().stream()
        .filter(other -> step.inputs().contains(other.id()))
        .map(other -> other.load().backPressured())
        .filter(Objects::nonNull)
        .max(Double::compare);
  }

  /** Upper bound: slots (all steps share them), cores, and the step's maximum parallelism. */
  int limit() {
    int held = job.steps().stream().mapToInt(Step::parallelism).max().orElse(0);
    int slots = held + cluster.hosts().stream().mapToInt(Host::freeSlots).sum();
    int max = Math.min(slots, step.maxParallelism());
    int cores = cluster.hosts().stream().mapToInt(Host::cores).sum();
    return cores > 0 ? Math.min(max, cores) : max;
  }

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

  /** Whether a host is full and two thirds of that is other work: a busy subtask uses one core. */
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
