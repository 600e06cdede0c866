package io.millrace.pipelines;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.concurrent.TimeUnit;

/**
 * How many records of a partition are dated into a minute that is still to come, and so may wait in
 * the steps behind: a bounded number, for all minutes together.
 *
 * <pre>
 *   minute    that of the newest arrival   +1   +2   …   +60
 *   records   –                             3    0         7
 * </pre>
 *
 * Time is that of arrivals, as the log has them, and not the clock: the same records are refused
 * whenever the log is read, and a reader that is far behind refuses none of them for that.
 */
final class AheadRecords {
  /** How far ahead of its arrival a record may be: as much as clocks differ, and more. */
  static final long MOST_MICROS = TimeUnit.HOURS.toMicros(1);

  private static final long MINUTE = TimeUnit.MINUTES.toMicros(1);

  /** A power of two, and more than the minutes that a record may be ahead. */
  private static final int MINUTES = 64;

  private static final int VERSION = 1;

  private final int most;
  private final int[] byMinute = new int[MINUTES];
  private int waiting;
  private long newest = Long.MIN_VALUE;

  /**
   * None.
   *
   * @param most how many may wait
   */
  AheadRecords(int most) {
    this.most = most;
  }

  /**
   * Whether a record may wait; if so, it is counted.
   *
   * @param micros its time, at most {@link #MOST_MICROS} behind its arrival
   */
  boolean admits(long micros, long arrivalMicros) {
    pass(Math.floorDiv(arrivalMicros, MINUTE));
    long minute = Math.floorDiv(micros, MINUTE);
    boolean isAhead = minute > newest;
    if (isAhead && waiting < most) {
      byMinute[place(minute)]++;
      waiting++;
      return true;
    }
    return !isAhead;
  }

  /** Records of a minute that has come wait no longer than others. */
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

  /** The state: version, newest minute (8 bytes), counts of the minutes (4 each) by their place. */
  byte[] write() {
    BlockBuffer out = new BlockBuffer(1 << 9);
    out.putByte(VERSION);
    out.putLong(newest);
    for (int count : byMinute) {
      out.putInt(count);
    }
    return out.toBytes();
  }

  /**
   * Takes what {@link #write} gave.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are none
   */
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
