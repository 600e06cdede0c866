package io.millrace.analytics.gateway;

import io.millrace.wire.record.GatewayForm;

/**
 * Computes the bytes between two consecutive records of a series.
 *
 * <p>The form of a record determines how. A counter is the result itself. A rate applies since the
 * previous record and is multiplied by the interval, rounded down. Running values are subtracted.
 * If both running values fell, the gateway restarted, and the new values are the result. If one
 * fell, it wrapped if the distance over the maximum is at most half the range; otherwise it
 * restarted. Reused for each pair; not thread-safe.
 */
final class Amounts {
  private static final int COUNTER = GatewayForm.COUNTER.code();
  private static final int RATE = GatewayForm.RATE.code();
  private static final long MILLIS = 1_000;

  private final long wrapAt;

  long tx;

  long rx;

  /** {@code wrapAt} is the value at which running values wrap; 0 if never. */
  Amounts(long wrapAt) {
    this.wrapAt = wrapAt;
  }

  /** {@code gap} is in milliseconds. */
  void between(int form, long gap, long txBefore, long rxBefore, long txNow, long rxNow) {
    if (form == COUNTER) {
      tx = txNow;
      rx = rxNow;
    } else if (form == RATE) {
      tx = times(txNow, gap);
      rx = times(rxNow, gap);
    } else {
      tx = txNow - txBefore;
      rx = rxNow - rxBefore;
      if ((tx | rx) < 0) {
        fallen(txBefore, rxBefore, txNow, rxNow);
      }
    }
  }

  long both() {
    return Volumes.plus(tx, rx);
  }

  /** For a record without predecessor: a counter's value, otherwise 0. */
  void alone(int form, long txNow, long rxNow) {
    tx = form == COUNTER ? txNow : 0;
    rx = form == COUNTER ? rxNow : 0;
  }

  /** Rate times interval, computed in two parts so that it does not overflow. */
  private static long times(long rate, long gap) {
    return rate / MILLIS > Volumes.MAX / gap
        ? Volumes.MAX
        : Math.min(Volumes.MAX, rate / MILLIS * gap + rate % MILLIS * gap / MILLIS);
  }

  private void fallen(long txBefore, long rxBefore, long txNow, long rxNow) {
    if (rx >= 0 && isWrap(txBefore, txNow)) {
      tx += wrapAt;
    } else if (tx >= 0 && isWrap(rxBefore, rxNow)) {
      rx += wrapAt;
    } else {
      tx = txNow;
      rx = rxNow;
    }
  }

  /**
   * Whether a value that fell may have wrapped: the distance over the maximum is at most half the
   * range.
   */
  private boolean isWrap(long before, long now) {
    return before < wrapAt && wrapAt - before + now <= wrapAt / 2;
  }

  /**
   * Share of an amount for part of the interval, in whole bytes, such that the shares of all days
   * add up to the amount.
   */
  static long part(long amount, long elapsed, long gap) {
    return amount / gap * elapsed + amount % gap * elapsed / gap;
  }
}
