package io.millrace.store.duckdb.sums;

import java.util.Arrays;

/** What the rows of a chunk add to minutes: a row's own, or parts of it to several. */
final class Addends {
  /** Bits below the minute in the first word of a key: one for each column, and for spread. */
  static final int MINUTE_SHIFT = SumPlan.MAX_COLUMNS + 1;

  static final byte PACKETS = 1;
  static final byte BYTES = 2;
  static final byte ALL = PACKETS | BYTES;

  int n;

  /** Numbers of the rows in the chunk. */
  int[] row = new int[0];

  /** Minute since the epoch, shifted; and 1 for what is spread over a flow's duration. */
  long[] minute = new long[0];

  long[] rows = new long[0];
  long[] packets = new long[0];
  long[] bytes = new long[0];
  long[] scaledPackets = new long[0];
  long[] scaledBytes = new long[0];

  /** Which of packets and bytes are not NULL; those that are have zeros. */
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
