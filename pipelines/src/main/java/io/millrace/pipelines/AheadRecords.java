package io.millrace.pipelines;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.concurrent.TimeUnit;

/**
 * Counts the records of a partition with a time in a future minute, which may wait in downstream
 * steps; bounded over all minutes.
 *
 * <pre>
 *   minute    that of the newest arrival   +1   +2   …   +60
 *   records   –                             3    0         7
 * </pre>
 *
 * Arrival times from the log are used, not the clock: the same records are rejected whenever the
 * log is read, also by a reader with a large lag.
 */
final class AheadRecords {
  /**
   * Maximum time by which a record may be ahead of its arrival; more than clocks usually differ.
   */
  static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);

  private static final long MINUTE = TimeUnit.MINUTES.toMicros(1);

  private static final int MINUTES = 64;

  private static final int VERSION = 1;

  private final int max;
  private final int[] byMinute = new int[MINUTES];
  private int waiting;
  private long newest = Long.MIN_VALUE;

  AheadRecords(int max) {
    this.max = max;
  }

  /**
   * Counts a record and returns whether it may wait; {@code micros} is at most {@link #MAX_MICROS}
   * after its arrival.
   */
  boolean admits(long micros, long arrivalMicros) {
    pass(Math.floorDiv(arrivalMicros, MINUTE));
    long minute = Math.floorDiv(micros, MINUTE);
    boolean isAhead = minute > newest;
    if (isAhead && waiting < max) {
      byMinute[place(minute)]++;
      waiting++;
      return true;
    }
    return !isAhead;
  }

  private void pass(long minute) {
    if (waiting > 0) {
      for (long m = newest + 1; m <= Math.min(minute, newest + MINUTES); m++) {
        waiting -= byMinute[place(m)];
        byMinute[place(m)] = 0;
      }
    }
    newest = Math.max(newest, minute);
  }

  private static int place(long minute) {
    return (int) minute & (MINUTES - 1);
  }

  /** Encodes the state: version, newest minute (8 bytes), counts of the minutes (4 each). */
  byte[] write() {
    BlockBuffer out = new BlockBuffer(1 << 9);
    out.putByte(VERSION);
    out.putLong(newest);
    for (int count : byMinute) {
      out.putInt(count);
    }
    return out.toBytes();
  }

  void read(byte[] state) {
    BlockInput in = new BlockInput(state, 0, state.length);
    in.takeVersion(VERSION, "counts of records ahead");
    newest = in.takeLong();
    waiting = 0;
    for (int i = 0; i < MINUTES; i++) {
      byMinute[i] = in.takeInt();
      waiting += byMinute[i];
    }
  }
}
