package io.millrace.cli.config;

import io.millrace.pulse.TimeUnits;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Durations and sizes as people write them: a number and a unit, {@code 5m}, {@code 250ms}, {@code
 * 64MiB}. A bare number is refused, so that nobody has to guess what it means; {@code 0} needs no
 * unit.
 */
public final class Units {
  private static final Map<String, Long> NANOS = TimeUnits.NANOS;

  /** Weeks and years are read, and printed as days. */
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
   * Nanoseconds of a text such as {@code 1.5s}.
   *
   * @throws IllegalArgumentException if it is not a number with a unit; the message begins with the
   *     text and says what to write
   */
  public static long nanos(String text) {
    return parse(text, NANOS, "5s", "ns, us, ms, s, m, h, d, w, y");
  }

  /**
   * Bytes of a text such as {@code 64MiB}.
   *
   * @throws IllegalArgumentException if it is not a number with a unit; the message begins with the
   *     text and says what to write
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
          "%s is not a number with a unit, write for example %s".formatted(text, example));
    }
    if (unit.isEmpty() && value == 0) {
      return 0;
    }
    if (unit.isEmpty()) {
      throw new IllegalArgumentException(
          "%s has no unit, write for example %s (%s)".formatted(text, example, allowed));
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
          "%s has an unknown unit, the known ones are %s".formatted(text, allowed));
    }
    double product = value * factor;
    if (product >= Long.MAX_VALUE) {
      throw new IllegalArgumentException("%s is too large".formatted(text));
    }
    return Math.round(product);
  }

  /** The shortest text that {@link #nanos} reads as the same duration. */
  public static String formatNanos(long nanos) {
    return format(nanos, NANOS);
  }

  /** The shortest text that {@link #bytes} reads as the same size. */
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
