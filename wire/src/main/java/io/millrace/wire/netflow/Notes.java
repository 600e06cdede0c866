package io.millrace.wire.netflow;

import io.millrace.wire.block.RejectReason;

/** The observer of the datagram at hand, and where the datagram begins in its array. */
final class Notes {
  private Observations observer = Observations.NONE;
  private int off;

  void begin(Observations to, int datagramOff) {
    observer = to;
    off = datagramOff;
  }

  Observations observer() {
    return observer;
  }

  /** Counts what stands at a place in the array. */
  void reject(RejectReason reason, int at) {
    observer.reject(reason, Math.max(0, at - off));
  }
}
