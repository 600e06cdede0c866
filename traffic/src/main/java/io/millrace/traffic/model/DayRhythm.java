package io.millrace.traffic.model;

/**
 * Load of an exchange point by time of day: a factor with mean 1 over the day, highest near 20:00
 * and lowest near 04:50, with a ratio of about four to one. The first harmonic is the day, the
 * second the shoulder of working hours.
 */
public final class DayRhythm {
  private static final double MICROS_PER_DAY = 86_400e6;
  private static final double MIDDLE = 18.0 / 24;

  private DayRhythm() {}

  /**
   * The factor by which the mean rate is multiplied.
   *
   * @param micros time, microseconds since the epoch; the day is UTC's
   */
  public static double factor(long micros) {
    double day = micros / MICROS_PER_DAY;
    double angle = 2 * Math.PI * (day - StrictMath.floor(day) - MIDDLE);
    return 1 + 0.52 * StrictMath.cos(angle) + 0.15 * StrictMath.cos(2 * angle - 2);
  }
}
