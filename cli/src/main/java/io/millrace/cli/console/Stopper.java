package io.millrace.cli.console;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns Ctrl-C and SIGTERM into an orderly end: the signal ends {@link #await}, and the process
 * ends when the resources that were opened after the stopper are closed.
 */
public final class Stopper implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  /** A stopper that listens from now on. */
  public Stopper() {
    this(() -> {});
  }

  /**
   * The same.
   *
   * @param last done when the process ends by a signal, also where the resources are not closed in
   *     time
   */
  public Stopper(Runnable last) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  asked.countDown();
                  try {
                    var unused = ended.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  last.run();
                },
                "millrace-stop"));
  }

  /** Waits for the signal. */
  public void await() throws InterruptedException {
    asked.await();
  }

  /** Waits for the signal for so long; true if it came. */
  public boolean await(Duration patience) throws InterruptedException {
    return asked.await(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Lets the process end. */
  @Override
  public void close() {
    ended.countDown();
  }
}
