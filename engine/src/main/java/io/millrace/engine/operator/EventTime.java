package io.millrace.engine.operator;

/** Converts between microseconds (blocks) and milliseconds (Flink). */
public final class EventTime {
  private static final long MICROS = 1_000;

  private EventTime() {}

  /** The millisecond that contains a time. */
  public static long millis(long micros) {
    return Math.floorDiv(micros, MICROS);
  }

  /**
   * The last microsecond of a millisecond; {@link Long#MIN_VALUE} and {@link Long#MAX_VALUE} are
   * unchanged.
   */
  public static long micros(long millis) {
    if (millis > Long.MAX_VALUE / MICROS - 1 || millis < Long.MIN_VALUE / MICROS + 1) {
      return millis > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
    }
    return millis * MICROS + MICROS - 1;
  }
}
