package io.millrace.engine.job;

import io.millrace.engine.job.ClusterStatus.Job;
import io.millrace.engine.job.ClusterStatus.Load;
import io.millrace.engine.job.ClusterStatus.Step;
import io.millrace.engine.job.ClusterStatus.Subtask;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Stream;

final class Loads {
  private Loads() {}

  static Load together(List<Load> subtasks, boolean isSource) {
    BinaryOperator<Double> lag = isSource ? Math::min : Math::max;
    return new Load(
        sum(subtasks, Load::rowsIn),
        sum(subtasks, Load::rowsOut),
        sum(subtasks, Load::recordsIn),
        sum(subtasks, Load::recordsOut),
        mean(subtasks, Load::busy),
        mean(subtasks, Load::backPressured),
        mean(subtasks, Load::idle),
        known(subtasks, Load::lagMillis).reduce(lag).orElse(null));
  }

  static Job over(List<ClusterStatus> readings, Job last) {
    List<Job> alike =
        readings.stream()
            .flatMap(reading -> reading.jobs().stream())
            .filter(job -> job.id().equals(last.id()) && shape(job).equals(shape(last)))
            .toList();
    List<Step> steps = new ArrayList<>();
    for (int s = 0; s < last.steps().size(); s++) {
      Step step = last.steps().get(s);
      List<Subtask> subtasks = new ArrayList<>();
      for (int i = 0; i < step.subtasks().size(); i++) {
        List<Load> loads = new ArrayList<>();
        for (Job job : alike) {
          loads.add(job.steps().get(s).subtasks().get(i).load());
        }
        subtasks.add(step.subtasks().get(i).withLoad(mean(loads)));
      }
      steps.add(step.withSubtasks(subtasks));
    }
    return last.withSteps(steps);
  }

  private static List<String> shape(Job job) {
    return job.steps().stream().map(step -> step.id() + ' ' + step.subtasks().size()).toList();
  }

  private static Load mean(List<Load> readings) {
    return new Load(
        mean(readings, Load::rowsIn),
        mean(readings, Load::rowsOut),
        mean(readings, Load::recordsIn),
        mean(readings, Load::recordsOut),
        mean(readings, Load::busy),
        mean(readings, Load::backPressured),
        mean(readings, Load::idle),
        mean(readings, Load::lagMillis));
  }

  private static Double sum(List<Load> loads, Function<Load, Double> figure) {
    return known(loads, figure).reduce(Double::sum).orElse(null);
  }

  private static Double mean(List<Load> loads, Function<Load, Double> figure) {
    List<Double> known = known(loads, figure).toList();
    return known.isEmpty()
        ? null
        : Double.valueOf(known.stream().mapToDouble(Double::doubleValue).sum() / known.size());
  }

  private static Stream<Double> known(List<Load> loads, Function<Load, Double> figure) {
    return loads.stream().map(figure).filter(Objects::nonNull);
  }
}
