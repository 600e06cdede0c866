package io.millrace.server.runtime;

import java.util.function.Supplier;

/**
 * Gives ingest threads a higher priority than query threads. Threads inherit the priority of their creator, so it suffices to create the log, its writers and the engine on a thread with a higher priority.
 */
final class Precedence {
  /** Priority of ingest threads, below that of the UDP reader, which loses datagrams if it is late. */
  private static final int OF_ROWS = Thread.NORM_PRIORITY + 3;

  private Precedence() {}

  @SuppressWarnings("ThreadPriorityCheck") // correct without it, only slower
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

  static void first(Runnable start) {
    Object unused =
        first(
            () -> {
              start.run();
              return start;
            });
  }
}
