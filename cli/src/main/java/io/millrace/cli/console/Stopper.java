package io.millrace.cli.console;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns Ctrl-C and SIGTERM into an orderly shutdown: the signal ends {@link #await}, and the
 * process exits when the resources opened after the stopper are closed.
 */
public final class Stopper implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final CountDownLatch stopRequested = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Creates a stopper and installs its shutdown hook. */
  public Stopper() {
    this(() -> {});
  }

  /**
   * Creates a stopper with a final action.
   *
   * @param last action that runs when a signal ends the process, even if the resources are not closed in time
   */
  public Stopper(Runnable last) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  stopRequested.countDown();
                  try {
                    var unused = ended.await(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  last.run();
                },
                "millrace-stop"));
  }

  /** Waits for the signal. */
  public void await() throws InterruptedException {
    stopRequested.await();
  }

  /** Waits for the signal up to {@code timeout}; returns whether it arrived. */
  public boolean await(Duration timeout) throws InterruptedException {
    return stopRequested.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Lets the process exit. */
  @Override
  public void close() {
    ended.countDown();
  }
}
