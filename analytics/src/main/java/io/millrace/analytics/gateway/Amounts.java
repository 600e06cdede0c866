package io.millrace.analytics.gateway;

import io.millrace.wire.gateway.GatewayForm;

/**
 * How many bytes two neighbouring records of a series stand for.
 *
 * <p>A counter says it itself. A rate holds since the record before: times the interval, rounded
 * down. Of running values it is the difference, and where that is negative: if both values fell,
 * the gateway has started anew, and the new values are what it has counted since; if one fell, it
 * has wrapped, provided that the way over the maximum is at most half of it, and was started anew
 * otherwise. Reused for each pair; not thread-safe.
 */
final class Amounts {
  private static final int COUNTER = GatewayForm.COUNTER.code();
  private static final int RATE = GatewayForm.RATE.code();
  private static final long MILLIS = 1_000;

  private final long wrapAt;

  /** Bytes sent and received, of the last pair. */
  long tx;

  long rx;

  /**
   * @param wrapAt where running values begin again; 0 for never
   */
  Amounts(long wrapAt) {
    this.wrapAt = wrapAt;
  }

  /**
   * Of a record and the one before.
   *
   * @param gap milliseconds between them
   */
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

  /** Bytes sent and received together. */
  long both() {
    return Volumes.plus(tx, rx);
  }

  /** Of a record with none before it that could be told: what a counter says, and else nothing. */
  void alone(int form, long txNow, long rxNow) {
    tx = form == COUNTER ? txNow : 0;
    rx = form == COUNTER ? rxNow : 0;
  }

  /** A rate of at most 10¹² times 31 days does not fit at once, its two parts do. */
  private static long times(long rate, long gap) {
    return rate / MILLIS * gap + rate % MILLIS * gap / MILLIS;
  }

  /** A value that falls alone may have wrapped; else the gateway counts both values anew. */
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

  /** Whether a value that has fallen may have wrapped: the way is at most half the range. */
  private boolean isWrap(long before, long now) {
    return before < wrapAt && wrapAt - before + now <= wrapAt / 2;
  }

  /**
   * What of an amount over a time lies in the first part of it, in whole bytes: parts of all days
   * add up to the amount.
   */
  static long part(long amount, long elapsed, long gap) {
    return amount / gap * elapsed + amount % gap * elapsed / gap;
  }
}
