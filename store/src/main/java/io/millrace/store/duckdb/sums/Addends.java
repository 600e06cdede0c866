package io.millrace.store.duckdb.sums;

import java.util.Arrays;

/**
 * Amounts that the rows of a chunk add to minutes: a row's own values, or shares of them in several
 * minutes.
 */
final class Addends {
  /**
   * Bits below the minute in the first word of a key: a NULL bit for each column, and the spread
   * bit.
   */
  static final int MINUTE_SHIFT = SumPlan.MAX_COLUMNS + 1;

  static final byte PACKETS = 1;
  static final byte BYTES = 2;
  static final byte ALL = PACKETS | BYTES;

  int n;

  /** Row numbers in the chunk. */
  int[] row = new int[0];

  /**
   * Minute since the epoch, shifted left; bit 0 is set if the amount is spread over a flow's
   * duration.
   */
  long[] minute = new long[0];

  long[] rows = new long[0];
  long[] packets = new long[0];
  long[] bytes = new long[0];
  long[] scaledPackets = new long[0];
  long[] scaledBytes = new long[0];

  /** Which of packets and bytes are not NULL; NULLs are stored as 0. */
  byte[] known = new byte[0];

  void clear() {
    n = 0;
  }

  static long minuteWord(long minute, boolean isSpread) {
    return minute << MINUTE_SHIFT | (isSpread ? 1 : 0);
  }

  void add(int of, long minuteWord, long count, byte isKnown) {
    if (n == row.length) {
      grow();
    }
    row[n] = of;
    minute[n] = minuteWord;
    rows[n] = count;
    known[n] = isKnown;
    n++;
  }

  void sums(int i, long p, long b, long scaledP, long scaledB) {
    packets[i] = p;
    bytes[i] = b;
    scaledPackets[i] = scaledP;
    scaledBytes[i] = scaledB;
  }

  private void grow() {
    int more = Math.max(4_096, n + (n >> 1));
    row = Arrays.copyOf(row, more);
    minute = Arrays.copyOf(minute, more);
    rows = Arrays.copyOf(rows, more);
    packets = Arrays.copyOf(packets, more);
    bytes = Arrays.copyOf(bytes, more);
    scaledPackets = Arrays.copyOf(scaledPackets, more);
    scaledBytes = Arrays.copyOf(scaledBytes, more);
    known = Arrays.copyOf(known, more);
  }
}
