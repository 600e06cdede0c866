package io.millrace.cli.status;

import java.util.List;
import java.util.Locale;

/** Shares, from 0 to 1, as text. */
final class Bars {
  private static final String EIGHTHS = " ▁▂▃▄▅▆▇█";
  private static final int WIDTH = 10;

  private Bars() {}

  /** Whole percents; a dash where the share is not known. */
  static String percent(Double share) {
    return share == null ? "-" : Math.round(share * 100) + "%";
  }

  /** A bar ten characters long, with the percents behind it. */
  static String bar(Double share) {
    if (share == null) {
      return "-";
    }
    int full = (int) Math.round(Math.max(0, Math.min(1, share)) * WIDTH);
    return "█".repeat(full)
        + "░".repeat(WIDTH - full)
        + String.format(Locale.ROOT, " %4s", percent(share));
  }

  /** A curve, a character a share. */
  static String curve(List<Double> shares) {
    StringBuilder curve = new StringBuilder();
    for (double share : shares) {
      int eighths = (int) Math.ceil(Math.max(0, Math.min(1, share)) * (EIGHTHS.length() - 1));
      curve.append(EIGHTHS.charAt(eighths));
    }
    return curve.toString();
  }
}
