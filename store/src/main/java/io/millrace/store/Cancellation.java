package io.millrace.store;

/**
 * Cancels a query from another thread, at any time: before it starts, while it runs, or while its
 * rows are read. Thread-safe.
 */
public final class Cancellation {
  private Runnable interrupt = () -> {};
  private boolean cancelled;

  /** Cancels the query; its reader gets a {@link QueryException}. No effect after its end. */
  public void cancel() {
    Runnable now;
    synchronized (this) {
      cancelled = true;
      now = interrupt;
    }
    now.run();
  }

  /** Whether cancellation was requested. */
  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Replaces the action that interrupts the query; runs it at once if already cancelled. */
  public void onCancel(Runnable interrupt) {
    synchronized (this) {
      this.interrupt = interrupt;
      if (!cancelled) {
        return;
      }
    }
    interrupt.run();
  }
}
