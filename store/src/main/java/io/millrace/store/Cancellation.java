package io.millrace.store;

/**
 * Ends a query from another thread, at any time: before it starts, while it runs, while its rows
 * are read. Thread-safe.
 */
public final class Cancellation {
  private Runnable interrupt = () -> {};
  private boolean cancelled;

  /** Ends the query; its reader gets a {@link QueryException}. Without effect behind its end. */
  public void cancel() {
    Runnable now;
    synchronized (this) {
      cancelled = true;
      now = interrupt;
    }
    now.run();
  }

  /** Whether it was asked for. */
  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Sets what interrupts the query, in place of what was set before; run at once if it is late. */
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
