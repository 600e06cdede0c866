package io.millrace.wire.netflow;

import io.millrace.wire.block.RejectReason;

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

  void observer(Observations to) {
    observer = to;
  }

  void earlier(boolean is) {
    isEarlier = is;
  }

  void reject(RejectReason reason, int at) {
    observer.reject(reason, isEarlier ? 0 : at - off);
  }
}
