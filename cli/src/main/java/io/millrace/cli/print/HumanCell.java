package io.millrace.cli.print;

import java.util.Locale;
import java.util.regex.Pattern;

/** Formats numbers of query results with the unit that the column's name implies. */
public final class HumanCell {
  private static final Pattern BITS = Pattern.compile("(^|.*_)(bits(_per_second|_s)?|bps)$");
  private static final Pattern BYTES = Pattern.compile("(^|.*_)bytes$");
  private static final Pattern PERCENT = Pattern.compile("(^|.*_)percent$");
  private static final Pattern SHARE = Pattern.compile("(^|.*_)share$");

  private HumanCell() {}

  /**
   * Formats a cell. Returns it unchanged if the name implies no unit, or the cell is not a
   * non-negative number.
   */
  public static String of(RowPrinter.Column column, String cell) {
    if (!column.isNumber() || cell == null) {
      return cell;
    }
    double value;
    try {
      value = Double.parseDouble(cell);
    } catch (NumberFormatException e) {
      return cell;
    }
    String name = column.name().toLowerCase(Locale.ROOT);
    if (value < 0 || Double.isNaN(value)) {
      return cell;
    } else if (BITS.matcher(name).matches()) {
      return Si.format(value, name.endsWith("bits") ? "bit" : "bit/s");
    } else if (BYTES.matcher(name).matches()) {
      return Si.format(value, "B");
    } else if (PERCENT.matcher(name).matches()) {
      return String.format(Locale.ROOT, "%.1f%%", value);
    } else if (SHARE.matcher(name).matches()) {
      return String.format(Locale.ROOT, "%.1f%%", 100 * value);
    }
    return cell;
  }
}
