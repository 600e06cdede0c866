package io.millrace.analytics.gateway;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.KeyTable;
import java.util.Arrays;

/**
 * What each series has carried at each hour of the day over the past three weeks, and how far an
 * hour is from that: the robust z-score of Iglewicz and Hoaglin (1993), 0.6745 (x − median) / MAD,
 * where MAD is the median of the distances from the median.
 *
 * <p>Traffic spreads by factors, so hours are compared by their logarithms: a byte each, in steps
 * of 12%, which is also the least MAD. A part of state, 600 bytes a series, of a bounded number of
 * them; not thread-safe.
 *
 * <pre>
 *   column 1 + 3·hour + i: days 8·i to 8·i + 7 of the ring of 21, a byte each, 0 for none
 * </pre>
 */
final class UsualRange {
  /** The fewest days with which an hour is compared. */
  static final int LEAST_DAYS = 7;

  private static final int DAYS = 21;
  private static final int HOURS = 24;
  private static final int LONGS = 3;
  private static final int LAST_DAY = 0;
  private static final double STEP = StrictMath.log(1.12);
  private static final int HIGHEST = 255;
  private static final double NORMAL = 0.6745;
  private static final double LEAST_MAD = 1;

  private final KeyTable table;
  private final int most;
  private final int[] levels = new int[DAYS];
  private double median;

  UsualRange(KeyGroups groups, int most) {
    table = new KeyTable(groups, 2, 1 + HOURS * LONGS);
    this.most = most;
  }

  KeyTable table() {
    return table;
  }

  /**
   * Compares an hour that is over with those before, and then counts it among them.
   *
   * @return the score; 0 where there are too few to compare with
   */
  double take(int hash, long first, long second, long day, int hour, long bytes) {
    int entry = table.find(hash, first, second);
    if (entry < 0) {
      if (table.size() >= most) {
        return 0;
      }
      entry = table.entry(hash, first, second);
      table.values(LAST_DAY)[entry] = day;
    }
    advance(entry, day);
    int level = level(bytes);
    double score = score(entry, hour, level);
    set(entry, hour, Math.floorMod(day, DAYS), level);
    return score;
  }

  /** What is usual at the hour that was compared last, in bytes. */
  long usual() {
    return Math.round(StrictMath.exp((median - 1) * STEP) - 1);
  }

  private static int level(long bytes) {
    double steps = StrictMath.log(1.0 + Math.max(0, bytes)) / STEP;
    return Math.min(HIGHEST, 1 + (int) Math.round(steps));
  }

  /** Forgets the days that have left the ring since the last hour. */
  private void advance(int entry, long day) {
    long last = table.values(LAST_DAY)[entry];
    for (long gone = Math.max(last + 1, day - DAYS + 1); gone <= day; gone++) {
      for (int hour = 0; hour < HOURS; hour++) {
        set(entry, hour, Math.floorMod(gone, DAYS), 0);
      }
    }
    table.values(LAST_DAY)[entry] = Math.max(last, day);
  }

  private void set(int entry, int hour, int slot, int level) {
    long[] column = table.values(1 + hour * LONGS + slot / Long.BYTES);
    int shift = 8 * (slot % Long.BYTES);
    column[entry] = (column[entry] & ~(0xFFL << shift)) | ((long) level << shift);
  }

  private double score(int entry, int hour, int level) {
    int found = 0;
    for (int slot = 0; slot < DAYS; slot++) {
      long[] column = table.values(1 + hour * LONGS + slot / Long.BYTES);
      int value = (int) (column[entry] >>> (8 * (slot % Long.BYTES))) & 0xFF;
      if (value != 0) {
        levels[found++] = value;
      }
    }
    if (found < LEAST_DAYS) {
      return 0;
    }
    median = median(levels, found);
    double center = median;
    double[] distances = new double[found];
    for (int i = 0; i < found; i++) {
      distances[i] = Math.abs(levels[i] - center);
    }
    Arrays.sort(distances);
    double mad =
        found % 2 == 1
            ? distances[found / 2]
            : (distances[found / 2 - 1] + distances[found / 2]) / 2;
    return NORMAL * (level - center) / Math.max(LEAST_MAD, mad);
  }

  private static double median(int[] values, int count) {
    Arrays.sort(values, 0, count);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2.0;
  }
}
