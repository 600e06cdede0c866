package io.millrace.engine;

import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.JobException;
import io.millrace.testing.Await;
import java.util.concurrent.atomic.AtomicLong;

/** Takes checkpoints for tests. */
public final class Checkpoints {
  private Checkpoints() {}

  /**
   * Takes one of a job, as soon as all of its subtasks run.
   *
   * @return its id
   */
  public static long take(EmbeddedJob job) {
    AtomicLong taken = new AtomicLong();
    Await.until(
        "a checkpoint",
        () -> {
          try {
            taken.set(job.checkpoint());
            return true;
          } catch (JobException e) {
            return false;
          }
        });
    return taken.get();
  }
}
