package io.millrace.engine.operator;

import io.millrace.analytics.keyed.StateSnapshot;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A snapshot with several readers: who writes it, who may compare a later one with it. It is
 * released when the last has let go. Thread-safe.
 */
final class SharedSnapshot {
  private final StateSnapshot snapshot;
  private final AtomicInteger holders = new AtomicInteger(1);

  /** Shares a snapshot; the caller is the first who holds it. */
  SharedSnapshot(StateSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  StateSnapshot snapshot() {
    return snapshot;
  }

  /** One more holder; only called by who holds it. */
  SharedSnapshot hold() {
    holders.incrementAndGet();
    return this;
  }

  void letGo() {
    if (holders.decrementAndGet() == 0) {
      snapshot.release();
    }
  }
}
