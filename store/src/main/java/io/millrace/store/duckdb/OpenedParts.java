package io.millrace.store.duckdb;

import java.util.ArrayDeque;

/**
 * Parts of a store that are open, so that all can be closed, also if opening the next one fails.
 * Used by one thread at a time.
 */
final class OpenedParts implements AutoCloseable {
  private final ArrayDeque<AutoCloseable> parts = new ArrayDeque<>();

  /** Adds a part, which is closed before those added earlier. */
  <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  /**
   * Closes all parts, even if some fail.
   *
   * @throws Exception the first failure, with the others as suppressed ones
   */
  @Override
  public void close() throws Exception {
    Exception failure = null;
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Closes all parts after a failure, to which those of closing are added. */
  void closeAfter(Exception failure) {
    try {
      close();
    } catch (Exception e) {
      failure.addSuppressed(e);
    }
  }
}
