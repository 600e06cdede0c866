package io.millrace.cli.print;

/** Sparklines, scaled from 0 to the largest value: ▁▂▅█. */
public final class Sparkline {
  private static final String LEVELS = "▁▂▃▄▅▆▇█";

  private Sparkline() {}

  /** Draws one character per value; a blank for NaN. */
  public static String of(double[] values) {
    double highest = 0;
    for (double value : values) {
      highest = Math.max(highest, Double.isNaN(value) ? 0 : value);
    }
    StringBuilder curve = new StringBuilder(values.length);
    for (double value : values) {
      int level = highest == 0 ? 0 : (int) Math.round(value / highest * (LEVELS.length() - 1));
      curve.append(Double.isNaN(value) ? ' ' : LEVELS.charAt(level));
    }
    return curve.toString();
  }
}
