package io.millrace.server.ingest;

import java.util.concurrent.atomic.AtomicInteger;

/** Completion of a request, after all its parts, of which there is one per partition. */
abstract class Completion {
  private final AtomicInteger open = new AtomicInteger(1);
  private volatile Exception failure;

  final void expect() {
    open.incrementAndGet();
  }

  /** Called for each logged part, and once after all parts were added. */
  final void logged() {
    if (open.decrementAndGet() == 0) {
      settled(failure);
    }
  }

  /** Called if a part was rejected, or its outcome is unknown. */
  final void failed(Exception cause) {
    failure = cause;
    logged();
  }

  /** Called once, on any thread; {@code failure} is null if all parts are in the log. */
  abstract void settled(Exception failure);
}
