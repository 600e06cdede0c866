package io.millrace.analytics.hitters;

import java.io.Serializable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Minimum weight of a heavy hitter, and minimum change of a heavy changer.
 *
 * @param share of the epoch's traffic, for changes, of the traffic of the busier epoch; 0 if unused
 * @param min packets or bytes, at least 1; 1 if unused
 * @param max maximum number of reported keys, largest first
 */
public record Threshold(double share, long min, int max) implements Serializable {
  /** Maximum number of reported keys per kind and epoch, separately for hitters and changers. */
  public static final int MAX = 10_000;

  private static final Pattern SHARE = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) ?%");
  private static final Pattern TOP = Pattern.compile("top ([0-9]{1,5})");
  private static final Pattern MIN = Pattern.compile("[0-9]{1,18}");

  /**
   * Parses a threshold: {@code 1%} of the traffic, {@code top 20} for the 20 largest, or {@code
   * 1000000} packets or bytes.
   *
   * @throws IllegalArgumentException if it is malformed
   */
  public static Threshold parse(String text) {
    Matcher share = SHARE.matcher(text);
    Matcher top = TOP.matcher(text);
    if (share.matches()) {
      double part = Double.parseDouble(share.group(1)) / 100;
      if (part > 0 && part <= 1) {
        return new Threshold(part, 1, MAX);
      }
    } else if (top.matches()) {
      int max = Integer.parseInt(top.group(1));
      if (max >= 1 && max <= MAX) {
        return new Threshold(0, 1, max);
      }
    } else if (MIN.matcher(text).matches() && Long.parseLong(text) >= 1) {
      return new Threshold(0, Long.parseLong(text), MAX);
    }
    throw new IllegalArgumentException(
        "threshold: '"
            + text
            + "', expected a share such as 1%, the largest such as top 20 (at most "
            + MAX
            + "), or a number of packets or bytes");
  }

  long of(long total) {
    return Math.max(min, (long) Math.ceil(share * total));
  }
}
