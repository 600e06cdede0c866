package io.millrace.analytics.hitters;

import java.io.Serializable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * From which weight on a key is heavy, and from which change on it is a changer.
 *
 * @param share of all traffic of the epoch, of changes that of the busier one of both epochs; 0
 *     where it is not a share that decides
 * @param least packets or bytes, at least 1; 1 where that does not decide
 * @param most keys that are reported, the largest ones
 */
public record Threshold(double share, long least, int most) implements Serializable {
  /** Most keys of a kind that are reported of an epoch, hitters and changers each. */
  public static final int MOST = 10_000;

  private static final Pattern SHARE = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) ?%");
  private static final Pattern TOP = Pattern.compile("top ([0-9]{1,5})");
  private static final Pattern LEAST = Pattern.compile("[0-9]{1,18}");

  /**
   * A threshold as it is written: {@code 1%} of the traffic, {@code top 20} for the largest, or
   * {@code 1000000} packets or bytes.
   *
   * @throws IllegalArgumentException if it is none of these
   */
  public static Threshold parse(String text) {
    Matcher share = SHARE.matcher(text);
    Matcher top = TOP.matcher(text);
    if (share.matches()) {
      double part = Double.parseDouble(share.group(1)) / 100;
      if (part > 0 && part <= 1) {
        return new Threshold(part, 1, MOST);
      }
    } else if (top.matches()) {
      int most = Integer.parseInt(top.group(1));
      if (most >= 1 && most <= MOST) {
        return new Threshold(0, 1, most);
      }
    } else if (LEAST.matcher(text).matches() && Long.parseLong(text) >= 1) {
      return new Threshold(0, Long.parseLong(text), MOST);
    }
    throw new IllegalArgumentException(
        "threshold: '"
            + text
            + "' is not a share as 1%, the largest as top 20 (to "
            + MOST
            + "), or a number of packets or bytes");
  }

  /** The weight that is heavy where so much is all of it; at least 1. */
  long of(long total) {
    return Math.max(least, (long) Math.ceil(share * total));
  }
}
