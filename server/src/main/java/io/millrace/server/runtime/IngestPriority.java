package io.millrace.server.runtime;

import java.util.function.Supplier;

/**
 * Gives ingest threads a higher priority than query threads. Threads inherit the priority of their
 * creator, so it suffices to create the log, its writers and the engine on a thread with a higher
 * priority.
 */
final class IngestPriority {
  /**
   * Priority of ingest threads, below that of the UDP reader, which loses datagrams if it is late.
   */
  private static final int INGEST = Thread.NORM_PRIORITY + 3;

  private IngestPriority() {}

  @SuppressWarnings("ThreadPriorityCheck") // correct without it, only slower
  static <T> T raised(Supplier<T> made) {
    Thread thread = Thread.currentThread();
    int before = thread.getPriority();
    thread.setPriority(INGEST);
    try {
      return made.get();
    } finally {
      thread.setPriority(before);
    }
  }

  static void raised(Runnable start) {
    Object unused =
        raised(
            () -> {
              start.run();
              return start;
            });
  }
}
