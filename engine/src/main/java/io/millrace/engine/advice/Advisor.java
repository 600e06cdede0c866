package io.millrace.engine.advice;

import io.millrace.engine.advice.Advice.OnStep;
import io.millrace.engine.advice.Advice.Verdict;
import io.millrace.engine.job.ClusterStatus;
import io.millrace.engine.job.ClusterStatus.Job;
import io.millrace.engine.job.ClusterStatus.Step;
import java.util.ArrayList;
import java.util.List;

/**
 * Says what to change about a cluster. A job is looked at twice: first for the steps that hold it
 * up, then all its steps as they will be when those have what they need, so that one round of
 * changes does, and not one a step.
 */
public final class Advisor {
  private Advisor() {}

  /**
   * Advice on all jobs that run, and on the hosts.
   *
   * @param cluster best over some readings: {@link ClusterStatus#over}
   */
  public static Advice advise(ClusterStatus cluster) {
    List<OnStep> steps = new ArrayList<>();
    for (Job job : cluster.jobs()) {
      if (job.state().equals("RUNNING")) {
        double growth = growth(cluster, job);
        for (Step step : job.steps()) {
          // A full step holds the job up, so its need is known; the load of the others grows with
          // it.
          boolean full = isFull(step);
          steps.add(StepRules.apply(new Situation(cluster, job, step, full ? 1 : growth)));
        }
      }
    }
    boolean more = steps.stream().anyMatch(step -> step.verdict() == Verdict.MORE);
    return new Advice(List.copyOf(steps), List.copyOf(HostRules.apply(cluster, more)));
  }

  private static boolean isFull(Step step) {
    return step.load().busy() != null && step.load().busy() >= StepRules.FULL;
  }

  private static double growth(ClusterStatus cluster, Job job) {
    double growth = 1;
    for (Step step : job.steps()) {
      if (isFull(step)) {
        OnStep advice = StepRules.apply(new Situation(cluster, job, step, 1));
        growth = Math.max(growth, advice.suggested() / (double) advice.parallelism());
      }
    }
    return growth;
  }
}
