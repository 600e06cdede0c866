package io.millrace.cli.status;

import java.util.List;
import java.util.Locale;

final class Bars {
  private static final String EIGHTHS = " ▁▂▃▄▅▆▇█";
  private static final int WIDTH = 10;

  private Bars() {}

  static String percent(Double share) {
    return share == null ? "-" : Math.round(share * 100) + "%";
  }

  static String bar(Double share) {
    if (share == null) {
      return "-";
    }
    int full = (int) Math.round(Math.max(0, Math.min(1, share)) * WIDTH);
    return "█".repeat(full)
        + "░".repeat(WIDTH - full)
        + String.format(Locale.ROOT, " %4s", percent(share));
  }

  static String curve(List<Double> shares) {
    StringBuilder curve = new StringBuilder();
    for (double share : shares) {
      int eighths = (int) Math.ceil(Math.max(0, Math.min(1, share)) * (EIGHTHS.length() - 1));
      curve.append(EIGHTHS.charAt(eighths));
    }
    return curve.toString();
  }
}
