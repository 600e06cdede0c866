package io.millrace.cli.console;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns Ctrl-C, SIGTERM and SIGHUP into an orderly shutdown: the signal ends {@link #await}, and
 * the process exits when the resources opened after the stopper are closed, or after a minute.
 *
 * <p>The resources are closed before the JVM begins to exit. Its shutdown hooks run all at once,
 * and libraries have some that stop threads which are needed to close the resources.
 */
public final class Stopper implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final List<String> SIGNALS = List.of("INT", "TERM", "HUP");

  /** Of a process that a signal ended. */
  private static final int TERMINATED = 143;

  private final CountDownLatch stopRequested = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final List<Runnable> earlierHandlers = new ArrayList<>();

  /** Creates a stopper, which handles signals until it is closed. */
  public Stopper() {
    this(() -> {});
  }

  /**
   * Creates a stopper with a final action.
   *
   * @param last runs when the process exits, even if the resources are not closed in time
   */
  public Stopper(Runnable last) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  stopRequested.countDown();
                  awaitEnd();
                  last.run();
                },
                "millrace-exit"));
    for (String signal : SIGNALS) {
      Signals.handle(signal, this::requestStop).ifPresent(earlierHandlers::add);
    }
  }

  private void requestStop() {
    if (stopRequested.getCount() == 0) {
      return;
    }
    stopRequested.countDown();
    Thread watch =
        new Thread(
            () -> {
              if (!awaitEnd()) {
                Runtime.getRuntime().exit(TERMINATED);
              }
            },
            "millrace-stop");
    watch.setDaemon(true);
    watch.start();
  }

  private boolean awaitEnd() {
    try {
      return ended.await(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
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
    earlierHandlers.forEach(Runnable::run);
    earlierHandlers.clear();
  }
}
