package io.millrace.engine;

import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.JobException;
import io.millrace.testing.Await;

/** Checkpoints that a test asks for. */
public final class Checkpoints {
  private Checkpoints() {}

  /** Takes one of a job, as soon as all of its subtasks run. */
  public static void take(EmbeddedJob job) {
    Await.until(
        "a checkpoint",
        () -> {
          try {
            return job.checkpoint() > 0;
          } catch (JobException e) {
            return false;
          }
        });
  }
}
