package io.millrace.engine.operator;

import io.millrace.analytics.keyed.StateSnapshot;
import java.util.concurrent.atomic.AtomicInteger;

/** A snapshot with several holders; the last one releases it. Thread-safe. */
final class SharedSnapshot {
  private final StateSnapshot snapshot;
  private final AtomicInteger holders = new AtomicInteger(1);

  SharedSnapshot(StateSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  StateSnapshot snapshot() {
    return snapshot;
  }

  SharedSnapshot hold() {
    holders.incrementAndGet();
    return this;
  }

  void release() {
    if (holders.decrementAndGet() == 0) {
      snapshot.release();
    }
  }
}
