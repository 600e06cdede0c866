package io.millrace.analytics.usual;

import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Amounts of each key by hour of the day over the past three weeks, and the deviation of an hour
 * from these: the robust z-score of Iglewicz and Hoaglin (1993), 0.6745 (x − median) / MAD, where
 * MAD is the median of the distances from the median.
 *
 * <p>Traffic varies by factors, so hours are compared by their logarithms: a byte each, in steps of
 * 12%, which is also the minimum MAD. It uses 73 columns of the caller's table, 584 bytes per key;
 * the caller bounds the number of keys. Not thread-safe.
 *
 * <pre>
 *   column 0                the last day added
 *   column 1 + 3·hour + i   days 8·i to 8·i + 7 of the ring of 21, a byte each, 0 for none
 * </pre>
 */
public final class UsualRange {
  /** Minimum number of days for a comparison. */
  public static final int MIN_DAYS = 7;

  private static final int DAYS = 21;
  private static final int HOURS = 24;
  private static final int LONGS = 3;

  /** Number of columns. */
  public static final int COLUMNS = 1 + HOURS * LONGS;

  private static final double STEP = StrictMath.log(1.12);
  private static final int HIGHEST = 255;
  private static final double NORMAL = 0.6745;
  private static final double MIN_MAD = 1;

  private final IntFunction<long[]> columns;
  private final int[] levels = new int[DAYS];
  private final double[] distances = new double[DAYS];
  private double median;

  /**
   * Hours in the columns of a table.
   *
   * @param columns returns the current array of a column by its number, from 0 to {@link
   *     #COLUMNS}{@code - 1}
   */
  public UsualRange(IntFunction<long[]> columns) {
    this.columns = columns;
  }

  /**
   * Initialises an entry whose columns are 0.
   *
   * @param day of its first hour, since the epoch
   */
  public void begin(int entry, long day) {
    columns.apply(0)[entry] = day;
  }

  /**
   * Compares a completed hour with the previous ones, and then adds it.
   *
   * @param day since the epoch
   * @param hour of the day, 0 to 23
   * @param amount bytes or a count
   * @return the score; 0 with too few days
   */
  public double take(int entry, long day, int hour, long amount) {
    advance(entry, day);
    int level = level(amount);
    double score = score(entry, hour, level);
    set(entry, hour, Math.floorMod(day, DAYS), level);
    return score;
  }

  /** Usual amount at the hour that was compared last. */
  public long usual() {
    return Math.round(amount(median));
  }

  /** Usual amount at an hour; −1 with too few days. */
  public double usualAt(int entry, int hour) {
    int found = levels(entry, hour);
    return found < MIN_DAYS ? -1 : amount(median(levels, found));
  }

  private static double amount(double level) {
    return StrictMath.exp((level - 1) * STEP) - 1;
  }

  private static int level(long amount) {
    double steps = StrictMath.log(1.0 + Math.max(0, amount)) / STEP;
    return Math.min(HIGHEST, 1 + (int) Math.round(steps));
  }

  private void advance(int entry, long day) {
    long last = columns.apply(0)[entry];
    for (long gone = Math.max(last + 1, day - DAYS + 1); gone <= day; gone++) {
      for (int hour = 0; hour < HOURS; hour++) {
        set(entry, hour, Math.floorMod(gone, DAYS), 0);
      }
    }
    columns.apply(0)[entry] = Math.max(last, day);
  }

  private void set(int entry, int hour, int slot, int level) {
    long[] column = columns.apply(1 + hour * LONGS + slot / Long.BYTES);
    int shift = 8 * (slot % Long.BYTES);
    column[entry] = (column[entry] & ~(0xFFL << shift)) | ((long) level << shift);
  }

  private double score(int entry, int hour, int level) {
    int found = levels(entry, hour);
    if (found < MIN_DAYS) {
      return 0;
    }
    median = median(levels, found);
    for (int i = 0; i < found; i++) {
      distances[i] = Math.abs(levels[i] - median);
    }
    Arrays.sort(distances, 0, found);
    double mad =
        found % 2 == 1
            ? distances[found / 2]
            : (distances[found / 2 - 1] + distances[found / 2]) / 2;
    return NORMAL * (level - median) / Math.max(MIN_MAD, mad);
  }

  private int levels(int entry, int hour) {
    int found = 0;
    for (int slot = 0; slot < DAYS; slot++) {
      long[] column = columns.apply(1 + hour * LONGS + slot / Long.BYTES);
      int level = (int) (column[entry] >>> (8 * (slot % Long.BYTES))) & 0xFF;
      if (level != 0) {
        levels[found++] = level;
      }
    }
    return found;
  }

  private static double median(int[] values, int count) {
    Arrays.sort(values, 0, count);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2.0;
  }
}
