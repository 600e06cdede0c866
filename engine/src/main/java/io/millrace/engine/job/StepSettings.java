package io.millrace.engine.job;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.api.transformations.PhysicalTransformation;

/**
 * Sets parallelism and slot sharing groups of single steps of a job that is already built. Only a
 * source, or a step after an exchange, can have its own parallelism: otherwise Flink would
 * distribute the blocks round-robin, and rows of one key or partition would lose their order.
 */
final class StepSettings {
  private final Map<String, StepConfig> settings;

  /**
   * Original parallelism of each step; by identity, since equality of steps depends on the
   * parallelism.
   */
  private final IdentityHashMap<Transformation<?>, Integer> built = new IdentityHashMap<>();

  private StepSettings(Map<String, StepConfig> settings) {
    this.settings = settings;
  }

  /** Applies the settings, except those for other jobs; returns the names of all steps. */
  static Set<String> apply(StreamExecutionEnvironment job, Map<String, StepConfig> settings) {
    return new StepSettings(settings).apply(job);
  }

  private Set<String> apply(StreamExecutionEnvironment job) {
    List<Transformation<?>> steps = inOrder(job);
    steps.forEach(step -> built.put(step, step.getParallelism()));
    Set<String> names = new LinkedHashSet<>();
    for (Transformation<?> step : steps) {
      names.add(step.getName());
      StepConfig setting = settings.get(step.getName());
      if (setting != null && setting.slots() != null) {
        step.setSlotSharingGroup(setting.slots());
      }
      setParallelism(step, setting);
    }
    return names;
  }

  private static List<Transformation<?>> inOrder(StreamExecutionEnvironment job) {
    Set<Transformation<?>> steps = new LinkedHashSet<>();
    job.getTransformations().forEach(end -> collect(end, steps));
    return new ArrayList<>(steps);
  }

  private static void collect(Transformation<?> step, Set<Transformation<?>> steps) {
    if (steps.contains(step)) {
      return;
    }
    inputs(step).forEach(input -> collect(input, steps));
    steps.add(step);
  }

  private static List<Transformation<?>> inputs(Transformation<?> step) {
    List<Transformation<?>> inputs = new ArrayList<>();
    step.getInputs().forEach(input -> inputs.addAll(stepsOf(input, true)));
    return inputs;
  }

  private static List<Transformation<?>> chained(Transformation<?> step) {
    List<Transformation<?>> inputs = new ArrayList<>();
    step.getInputs().forEach(input -> inputs.addAll(stepsOf(input, false)));
    return inputs;
  }

  private static List<Transformation<?>> stepsOf(Transformation<?> from, boolean acrossExchanges) {
    List<Transformation<?>> steps = new ArrayList<>();
    Deque<Transformation<?>> left = new ArrayDeque<>(List.of(from));
    while (!left.isEmpty()) {
      Transformation<?> next = left.pop();
      if (next instanceof PhysicalTransformation) {
        steps.add(next);
      } else if (acrossExchanges || !(next instanceof PartitionTransformation)) {
        left.addAll(next.getInputs());
      }
    }
    return steps;
  }

  private void setParallelism(Transformation<?> step, StepConfig setting) {
    List<Transformation<?>> before = chained(step);
    if (setting != null && setting.parallelism().isPresent()) {
      if (!before.isEmpty()) {
        throw new JobException(
            "job.steps.%s.parallelism: the step shares the subtasks of %s, which it follows without an exchange: set job.steps.%s"
                .formatted(step.getName(), before.get(0).getName(), before.get(0).getName()));
      }
      step.setParallelism(setting.parallelism().getAsInt());
      return;
    }
    if (before.isEmpty()
        || !before.stream().allMatch(each -> built.get(each).equals(built.get(step)))) {
      return;
    }
    for (Transformation<?> each : before) {
      if (each.getParallelism() != before.get(0).getParallelism()) {
        throw new JobException(
            "job.steps: %s reads %s with %d subtasks and %s with %d: set both to the same parallelism"
                .formatted(
                    step.getName(),
                    before.get(0).getName(),
                    before.get(0).getParallelism(),
                    each.getName(),
                    each.getParallelism()));
      }
    }
    step.setParallelism(before.get(0).getParallelism());
  }
}
