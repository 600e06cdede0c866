package io.millrace.pulse;

import java.time.Duration;

/**
 * What a timer does again and again. An executor would drop it for good at its first exception, and
 * tell nobody; here it goes on, and its {@link Pulse} has the failure until a turn has none.
 */
public final class Turn implements Runnable, AutoCloseable {
  private final Runnable task;
  private final Pulse pulse;

  /**
   * Its pulse begins now.
   *
   * @param longestSilence more without a turn that came to its end is a problem; zero if that says
   *     nothing
   */
  public Turn(String name, Duration longestSilence, Runnable task) {
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

  /** There are no more turns. */
  @Override
  public void close() {
    pulse.stop();
  }
}
