package io.millrace.engine.advice;

import io.millrace.engine.advice.Advice.OnStep;
import io.millrace.engine.advice.Advice.Verdict;
import io.millrace.engine.job.ClusterStatus;
import io.millrace.engine.job.ClusterStatus.Job;
import io.millrace.engine.job.ClusterStatus.Step;
import java.util.ArrayList;
import java.util.List;

/**
 * Suggests changes to a cluster. A job is evaluated twice: first the steps that limit it, then all
 * steps as they will be when those have enough subtasks. So one round of changes is enough, rather
 * than one per step.
 */
public final class Advisor {
  private Advisor() {}

  /**
   * Returns advice on all running jobs, and on the hosts.
   *
   * @param cluster best an average of several readings: {@link ClusterStatus#over}
   */
  public static Advice advise(ClusterStatus cluster) {
    List<OnStep> steps = new ArrayList<>();
    for (Job job : cluster.jobs()) {
      if (job.state().equals("RUNNING")) {
        double growth = growth(cluster, job);
        for (Step step : job.steps()) {
          // A full step limits the job, so its need is known; the load of the others grows with it.
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
