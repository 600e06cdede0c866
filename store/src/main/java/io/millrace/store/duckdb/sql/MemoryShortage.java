package io.millrace.store.duckdb.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Memory shortages of the database. Queries whose data cannot be spilled hold memory until they
 * end, so work that fails for lack of it is retried.
 */
public final class MemoryShortage {
  /** Pause between tries. */
  public static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Tries for a minute, in which queries end: by default they may run for half of that. */
  public static final int MAX_TRIES = 1_200;

  private static final List<String> MESSAGES =
      List.of("out of memory", "failed to allocate", "failed to offload", "memory limit");

  private MemoryShortage() {}

  /** Work that may be repeated after a failure. */
  @FunctionalInterface
  public interface Work<T> {
    T run() throws SQLException;
  }

  /**
   * Whether a failure is a memory shortage that the database survives; a failed checkpoint of its
   * file invalidates it.
   */
  public static boolean isCauseOf(SQLException failure) {
    String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
    return !message.contains("has been invalidated")
        && MESSAGES.stream().anyMatch(message::contains);
  }

  /**
   * Runs work until there is memory for it, from the second try on with the memory of commits.
   *
   * @throws SQLException if it fails for another reason, or for a minute, or the thread is
   *     interrupted
   */
  public static <T> T outlast(CommitMemory memory, Work<T> work) throws SQLException {
    for (int tries = 1; ; tries++) {
      try {
        return tries == 1 ? work.run() : memory.supply(work);
      } catch (SQLException e) {
        if (!isCauseOf(e) || tries == MAX_TRIES) {
          throw e;
        }
        pause(e);
      }
    }
  }

  private static void pause(SQLException failure) throws SQLException {
    try {
      TimeUnit.NANOSECONDS.sleep(PAUSE_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure;
    }
  }
}
