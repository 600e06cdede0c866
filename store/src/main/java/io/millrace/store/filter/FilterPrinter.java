package io.millrace.store.filter;

import io.millrace.wire.block.Addresses;
import java.math.BigInteger;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;

/** Prints filters in SQL syntax, which {@link FilterParser} parses to the same filter. */
public final class FilterPrinter {
  private static final int ADDRESS_BITS = 128;
  private static final int V4_BITS = 32;

  private FilterPrinter() {}

  /** The filter on one line. */
  public static String print(Filter filter) {
    if (filter instanceof Filter.Any) {
      return "any";
    } else if (filter instanceof Filter.And and) {
      return and.parts().stream().map(FilterPrinter::inner).collect(Collectors.joining(" AND "));
    } else if (filter instanceof Filter.Or or) {
      return or.parts().stream().map(FilterPrinter::inner).collect(Collectors.joining(" OR "));
    } else if (filter instanceof Filter.Not not) {
      return "NOT " + inner(not.part());
    } else if (filter instanceof Filter.Holds holds) {
      return "(" + print(holds.part()) + ") IS TRUE";
    } else if (filter instanceof Filter.NoValue missing) {
      return missing.column().name() + " IS NULL";
    } else if (filter instanceof Filter.Within within) {
      return within(within.column(), within.ranges());
    } else if (filter instanceof Filter.OneOf oneOf) {
      return oneOf(oneOf.column(), oneOf.texts());
    } else if (filter instanceof Filter.Like like) {
      String operator = like.anyCase() ? " ILIKE " : " LIKE ";
      return like.column().name() + operator + quoted(like.pattern());
    } else if (filter instanceof Filter.Bits bits) {
      return bits.column().name() + " & " + bits.mask() + " = " + bits.value();
    }
    throw new AssertionError(filter);
  }

  private static String inner(Filter filter) {
    boolean loose = filter instanceof Filter.And || filter instanceof Filter.Or;
    return loose ? "(" + print(filter) + ")" : print(filter);
  }

  private static String oneOf(FilterColumn column, List<String> texts) {
    return texts.size() == 1
        ? column.name() + " = " + quoted(texts.get(0))
        : column.name()
            + texts.stream()
                .map(FilterPrinter::quoted)
                .collect(Collectors.joining(", ", " IN (", ")"));
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static String within(FilterColumn column, List<Range> ranges) {
    String name = column.name();
    if (ranges.size() > 1) {
      return name
          + ranges.stream()
              .map(range -> member(column, range))
              .collect(Collectors.joining(", ", " IN (", ")"));
    }
    Range range = ranges.get(0);
    if (range.isPoint()) {
      return name + " = " + value(column, range.low());
    }
    int length = prefixLength(column, range);
    if (length >= 0) {
      return name + " IN " + prefix(range, length);
    }
    boolean ordered = column.kind() != FilterColumn.Kind.ADDRESS;
    if (ordered && range.high().equals(column.max())) {
      return name + " >= " + value(column, range.low());
    }
    if (ordered && range.low().signum() == 0) {
      return name + " <= " + value(column, range.high());
    }
    return name + " BETWEEN " + value(column, range.low()) + " AND " + value(column, range.high());
  }

  private static String member(FilterColumn column, Range range) {
    if (range.isPoint()) {
      return value(column, range.low());
    }
    int length = prefixLength(column, range);
    return length >= 0
        ? prefix(range, length)
        : value(column, range.low()) + "-" + value(column, range.high());
  }

  /** Prefix length of 128 if the range is a network, else -1. */
  private static int prefixLength(FilterColumn column, Range range) {
    if (column.kind() != FilterColumn.Kind.ADDRESS) {
      return -1;
    }
    BigInteger size = range.high().subtract(range.low()).add(BigInteger.ONE);
    boolean whole = size.bitCount() == 1 && range.low().mod(size).signum() == 0;
    // An IPv6 network excludes the IPv4 addresses.
    boolean overlaps = size.bitLength() - 1 > V4_BITS && range.contains(FilterValues.V4.low());
    return whole && !overlaps ? ADDRESS_BITS - (size.bitLength() - 1) : -1;
  }

  private static String prefix(Range range, int length) {
    boolean v4 = FilterValues.V4.contains(range.low());
    return address(range.low()) + "/" + (v4 ? length - (ADDRESS_BITS - V4_BITS) : length);
  }

  private static String value(FilterColumn column, BigInteger value) {
    return switch (column.kind()) {
      case NUMBER -> value.toString();
      case ADDRESS -> address(value);
      case MAC -> mac(value.longValueExact());
      case TIME -> Instant.EPOCH.plus(value.longValueExact(), ChronoUnit.MICROS).toString();
      case TEXT -> throw new AssertionError(column);
    };
  }

  static String address(BigInteger value) {
    long high = value.shiftRight(Long.SIZE).longValue();
    return Addresses.isNull(high, value.longValue())
        ? "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
        : Addresses.toText(high, value.longValue());
  }

  static String mac(long value) {
    StringBuilder text = new StringBuilder(17);
    for (int shift = 40; shift >= 0; shift -= 8) {
      text.append(text.isEmpty() ? "" : ":").append(String.format("%02x", value >>> shift & 255));
    }
    return text.toString();
  }
}
