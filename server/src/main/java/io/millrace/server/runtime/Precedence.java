package io.millrace.server.runtime;

import java.util.function.Supplier;

/**
 * Who goes first where processors are short: what brings rows into the store, before those who ask
 * for them. Threads have the priority of the thread that makes them, where the JVM may set any, so
 * that it is enough to make the log, its writers and the stream engine with a higher one.
 */
final class Precedence {
  /** Below the UDP reader's, which loses datagrams where it is late. */
  private static final int OF_ROWS = Thread.NORM_PRIORITY + 3;

  private Precedence() {}

  /** Makes something whose threads go before those of others. */
  @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it, rows are seen sooner by it
  static <T> T first(Supplier<T> made) {
    Thread thread = Thread.currentThread();
    int before = thread.getPriority();
    thread.setPriority(OF_ROWS);
    try {
      return made.get();
    } finally {
      thread.setPriority(before);
    }
  }

  /** Starts something whose threads go before those of others. */
  static void first(Runnable start) {
    Object unused =
        first(
            () -> {
              start.run();
              return start;
            });
  }
}
