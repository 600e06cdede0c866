package io.millrace.cli.print;

import java.util.Locale;

/** Formats numbers with three digits and an SI prefix: 1.23 G. */
public final class Si {
  private static final String[] PREFIXES = {"", " k", " M", " G", " T", " P", " E"};

  private Si() {}

  /** Formats a non-negative number without a unit. */
  public static String format(double value) {
    double scaled = value;
    int prefix = 0;
    while (scaled >= 999.5 && prefix < PREFIXES.length - 1) {
      scaled /= 1_000;
      prefix++;
    }
    String digits = scaled >= 99.95 || prefix == 0 ? "%.0f" : scaled >= 9.995 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, digits, scaled) + PREFIXES[prefix];
  }

  /** Formats a non-negative number with a unit: 1.23 Gbit/s. */
  public static String format(double value, String unit) {
    String text = format(value);
    return text.indexOf(' ') < 0 ? text + " " + unit : text + unit;
  }
}
