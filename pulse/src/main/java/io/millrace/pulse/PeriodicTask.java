package io.millrace.pulse;

import java.time.Duration;

/**
 * A periodic task of an executor. After an exception, which would make the executor cancel the task
 * silently, it continues, and its {@link Pulse} reports the failure until the next success.
 */
public final class PeriodicTask implements Runnable, AutoCloseable {
  private final Runnable task;
  private final Pulse pulse;

  /**
   * Creates a task and starts its pulse.
   *
   * @param longestSilence maximum time between completed runs; zero for no limit
   */
  public PeriodicTask(String name, Duration longestSilence, Runnable task) {
    this.task = task;
    pulse = Pulse.of(name, longestSilence, () -> false);
  }

  @Override
  public void run() {
    try {
      task.run();
      pulse.beat();
    } catch (RuntimeException | Error e) {
      pulse.fail(e);
    }
  }

  /** Prevents further runs. */
  @Override
  public void close() {
    pulse.stop();
  }
}
