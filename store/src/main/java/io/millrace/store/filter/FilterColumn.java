package io.millrace.store.filter;

import io.millrace.store.DeviceNames;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableSchema;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A column that filters can use.
 *
 * @param name name in the table of flows
 * @param kind type of its values
 * @param max maximum value; 0 for texts
 * @param isComputed whether it is one of {@link #COMPUTED} or of {@link DeviceNames}, not of the
 *     table
 */
public record FilterColumn(String name, Kind kind, BigInteger max, boolean isComputed) {
  /**
   * Values that nfdump computes from times and counts, rounded down: duration in milliseconds, bits
   * and packets per second of duration, and bytes per packet. Unknown if an input is; 0 for a
   * division by 0.
   */
  public static final List<String> COMPUTED = List.of("duration", "bps", "pps", "bpp");

  private static final BigInteger MAX_TIME =
      FilterValues.micros(Instant.parse("9999-12-31T23:59:59.999999Z"));

  /** Type of a column's values. */
  public enum Kind {
    /** A non-negative whole number. */
    NUMBER,
    /** An IP address. */
    ADDRESS,
    /** A MAC address. */
    MAC,
    /** An instant. */
    TIME,
    /** A text. */
    TEXT
  }

  static FilterColumn of(FlowColumn column) {
    return switch (column.type()) {
      case TIME, MOMENT -> new FilterColumn(column.columnName(), Kind.TIME, MAX_TIME, false);
      case ADDRESS -> new FilterColumn(column.columnName(), Kind.ADDRESS, bits(128), false);
      case MAC -> new FilterColumn(column.columnName(), Kind.MAC, bits(48), false);
      case U8 -> number(column.columnName(), 8);
      case U16 -> number(column.columnName(), 16);
      case U32 -> number(column.columnName(), 32);
      case U64 -> number(column.columnName(), 63);
    };
  }

  static Optional<FilterColumn> of(TableSchema.Column column) {
    return switch (column.type()) {
      case TIME -> Optional.of(new FilterColumn(column.name(), Kind.TIME, MAX_TIME, false));
      case LONG -> Optional.of(number(column.name(), 63));
      case ADDRESS -> Optional.of(new FilterColumn(column.name(), Kind.ADDRESS, bits(128), false));
      case TEXT -> Optional.of(text(column.name()));
      case DOUBLE -> Optional.empty();
    };
  }

  static FilterColumn number(String name, int bits) {
    return new FilterColumn(name, Kind.NUMBER, bits(bits), false);
  }

  static FilterColumn computed(String name) {
    return new FilterColumn(name, Kind.NUMBER, bits(63), true);
  }

  static FilterColumn reported(DeviceNames.Column column) {
    return new FilterColumn(
        column.name(),
        column.isSpeed() ? Kind.NUMBER : Kind.TEXT,
        column.isSpeed() ? bits(32) : BigInteger.ZERO,
        true);
  }

  static FilterColumn text(String name) {
    return new FilterColumn(name, Kind.TEXT, BigInteger.ZERO, false);
  }

  private static BigInteger bits(int bits) {
    return BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE);
  }

  /** Whether it counts bytes or packets, so that numbers may have the suffixes k, M, G and T. */
  boolean isVolume() {
    return max.bitLength() == 63 && kind == Kind.NUMBER;
  }

  boolean isPort() {
    return name.endsWith("_port");
  }

  boolean isAs() {
    return name.endsWith("_as") || name.endsWith("_asn");
  }
}
