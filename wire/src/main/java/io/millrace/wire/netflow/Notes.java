package io.millrace.wire.netflow;

import io.millrace.wire.block.RejectReason;

/** The observer of the datagram at hand, and where the datagram begins in its array. */
final class Notes {
  private Observations observer = Observations.NONE;
  private int off;
  private boolean isEarlier;

  void begin(Observations to, int datagramOff) {
    observer = to;
    off = datagramOff;
    isEarlier = false;
  }

  Observations observer() {
    return observer;
  }

  /** Says who hears of what follows. */
  void observer(Observations to) {
    observer = to;
  }

  /** Says that what follows is of an earlier datagram, whose places mean nothing in this one. */
  void earlier(boolean is) {
    isEarlier = is;
  }

  /** Counts what stands at a place in the array. */
  void reject(RejectReason reason, int at) {
    observer.reject(reason, isEarlier ? 0 : at - off);
  }
}
