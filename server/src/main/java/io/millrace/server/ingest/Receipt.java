package io.millrace.server.ingest;

import java.util.concurrent.atomic.AtomicInteger;

/** Waits for all parts of a request: one for each partition that gets records of it. */
abstract class Receipt {
  private final AtomicInteger open = new AtomicInteger(1);
  private volatile Exception failure;

  /** One more part is waited for. */
  final void expect() {
    open.incrementAndGet();
  }

  /** A part is in the log; also called once when all parts are known. */
  final void logged() {
    if (open.decrementAndGet() == 0) {
      settled(failure);
    }
  }

  /** A part is not in the log, or nobody knows. */
  final void failed(Exception cause) {
    failure = cause;
    logged();
  }

  /**
   * Called once, on any thread.
   *
   * @param failure why a part failed; null if all are in the log
   */
  abstract void settled(Exception failure);
}
