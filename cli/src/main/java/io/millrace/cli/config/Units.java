package io.millrace.cli.config;

import io.millrace.pulse.TimeUnits;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Parses and formats durations and sizes: a number with a unit, such as {@code 5m}, {@code 250ms}
 * or {@code 64MiB}. A number without a unit is rejected, except {@code 0}.
 */
public final class Units {
  private static final Map<String, Long> NANOS = TimeUnits.NANOS;

  /** Units that are parsed but never printed; days are printed instead. */
  private static final Set<String> READ_ONLY = Set.of("w", "y");

  private static final Map<String, Long> BYTES = new LinkedHashMap<>();

  static {
    // largest first, for printing
    BYTES.put("TiB", 1L << 40);
    BYTES.put("GiB", 1L << 30);
    BYTES.put("MiB", 1L << 20);
    BYTES.put("KiB", 1L << 10);
    BYTES.put("TB", 1_000_000_000_000L);
    BYTES.put("GB", 1_000_000_000L);
    BYTES.put("MB", 1_000_000L);
    BYTES.put("kB", 1_000L);
    BYTES.put("B", 1L);
  }

  private Units() {}

  /**
   * Parses a duration such as {@code 1.5s} into nanoseconds.
   *
   * @throws IllegalArgumentException if the text is not a number with a unit; the message has the
   *     text and the expected form
   */
  public static long nanos(String text) {
    return parse(text, NANOS, "5s", "ns, us, ms, s, m, h, d, w, y");
  }

  /**
   * Parses a size such as {@code 64MiB} into bytes.
   *
   * @throws IllegalArgumentException if the text is not a number with a unit; the message has the
   *     text and the expected form
   */
  public static long bytes(String text) {
    return parse(text, BYTES, "64MiB", "B, kB, KiB, MB, MiB, GB, GiB, TB, TiB");
  }

  private static long parse(String text, Map<String, Long> units, String example, String allowed) {
    String s = text.strip();
    int end = 0;
    while (end < s.length() && (Character.isDigit(s.charAt(end)) || s.charAt(end) == '.')) {
      end++;
    }
    String number = s.substring(0, end);
    String unit = s.substring(end).strip();
    double value;
    try {
      value = Double.parseDouble(number);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s: expected a number with a unit, such as %s".formatted(text, example));
    }
    if (unit.isEmpty() && value == 0) {
      return 0;
    }
    if (unit.isEmpty()) {
      throw new IllegalArgumentException(
          "%s: missing unit, expected a value such as %s (%s)".formatted(text, example, allowed));
    }
    Long factor = units.get(unit);
    if (factor == null) {
      for (Map.Entry<String, Long> known : units.entrySet()) {
        if (known.getKey().equalsIgnoreCase(unit)) {
          factor = known.getValue();
        }
      }
    }
    if (factor == null) {
      throw new IllegalArgumentException(
          "%s: unknown unit, expected one of %s".formatted(text, allowed));
    }
    double product = value * factor;
    if (product >= Long.MAX_VALUE) {
      throw new IllegalArgumentException("%s: too large".formatted(text));
    }
    return Math.round(product);
  }

  /** Formats a duration as the shortest text that {@link #nanos} parses to the same value. */
  public static String formatNanos(long nanos) {
    return format(nanos, NANOS);
  }

  /** Formats a size as the shortest text that {@link #bytes} parses to the same value. */
  public static String formatBytes(long bytes) {
    return format(bytes, BYTES);
  }

  private static String format(long value, Map<String, Long> units) {
    if (value == 0) {
      return "0";
    }
    for (Map.Entry<String, Long> unit : units.entrySet()) {
      if (value % unit.getValue() == 0 && !READ_ONLY.contains(unit.getKey())) {
        return value / unit.getValue() + unit.getKey();
      }
    }
    throw new AssertionError("every number is a multiple of one");
  }
}
