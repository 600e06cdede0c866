package io.millrace.analytics.gateway;

import io.millrace.wire.record.GatewayForm;

/**
 * Bytes between two neighbouring records of a series.
 *
 * <p>A counter has them itself. A rate holds since the previous record: times the interval, rounded
 * down. Running values are subtracted; if the difference is negative: if both values fell, the
 * gateway restarted, and the new values count since then; if one fell, it wrapped, provided that
 * the distance over the maximum is at most half of it, and restarted otherwise. Reused for each
 * pair; not thread-safe.
 */
final class Amounts {
  private static final int COUNTER = GatewayForm.COUNTER.code();
  private static final int RATE = GatewayForm.RATE.code();
  private static final long MILLIS = 1_000;

  private final long wrapAt;

  long tx;

  long rx;

  /** {@code wrapAt} is where running values wrap; 0 for never. */
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

  /** The two parts of a rate do not overflow where their product would. */
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

  /** Whether a fallen value may have wrapped: the distance is at most half the range. */
  private boolean isWrap(long before, long now) {
    return before < wrapAt && wrapAt - before + now <= wrapAt / 2;
  }

  /** Part of an amount in whole bytes, so that the parts of all days add up to it. */
  static long part(long amount, long elapsed, long gap) {
    return amount / gap * elapsed + amount % gap * elapsed / gap;
  }
}
