package io.millrace.store.filter;

import io.millrace.store.SqlLiteral;
import java.math.BigInteger;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;

/** Translates filters to SQL conditions on the view {@code flows}. */
public final class FilterQuery {
  /** In milliseconds; the exporter's clock may have been set back during the flow. */
  private static final String DURATION =
      "(CASE WHEN flow_end >= flow_start THEN (epoch_us(flow_end) - epoch_us(flow_start)) // 1000"
          + " WHEN flow_end < flow_start THEN 0 END)";

  private FilterQuery() {}

  /** A condition that is true for matching flows, and false or NULL for others. */
  public static String condition(Filter filter) {
    if (filter instanceof Filter.Any) {
      return "true";
    } else if (filter instanceof Filter.And and) {
      return joined(and.parts(), " AND ");
    } else if (filter instanceof Filter.Or or) {
      return joined(or.parts(), " OR ");
    } else if (filter instanceof Filter.Not not) {
      return "NOT " + inner(not.part());
    } else if (filter instanceof Filter.Holds holds) {
      return "(" + condition(holds.part()) + ") IS TRUE";
    } else if (filter instanceof Filter.NoValue missing) {
      return column(missing.column()) + " IS NULL";
    } else if (filter instanceof Filter.Within within) {
      return within(within.column(), within.ranges());
    } else if (filter instanceof Filter.OneOf oneOf) {
      return in(column(oneOf.column()), oneOf.texts().stream().map(SqlLiteral::of).toList());
    } else if (filter instanceof Filter.Like like) {
      return column(like.column())
          + (like.anyCase() ? " ILIKE " : " LIKE ")
          + SqlLiteral.of(like.pattern());
    } else if (filter instanceof Filter.Bits bits) {
      return "%s::BIGINT & %s = %s".formatted(column(bits.column()), bits.mask(), bits.value());
    }
    throw new AssertionError(filter);
  }

  private static String joined(List<Filter> parts, String with) {
    return parts.stream().map(FilterQuery::inner).collect(Collectors.joining(with));
  }

  private static String inner(Filter filter) {
    boolean loose = filter instanceof Filter.And || filter instanceof Filter.Or;
    return loose ? "(" + condition(filter) + ")" : condition(filter);
  }

  private static String column(FilterColumn column) {
    if (!column.isComputed()) {
      return '"' + column.name() + '"';
    }
    return switch (column.name()) {
      case "duration" -> DURATION;
      case "bps" -> quotient("bytes::HUGEINT * 8000", DURATION);
      case "pps" -> quotient("packets::HUGEINT * 1000", DURATION);
      case "bpp" -> quotient("bytes", "packets");
      default -> '"' + column.name() + '"'; // looked up at query time
    };
  }

  private static String quotient(String sql, String by) {
    return "(CASE WHEN %2$s > 0 THEN (%1$s) // (%2$s) WHEN %2$s = 0 THEN 0 END)".formatted(sql, by);
  }

  private static String within(FilterColumn column, List<Range> ranges) {
    List<String> points =
        ranges.stream().filter(Range::isPoint).map(at -> value(column, at.low())).toList();
    List<String> tests =
        ranges.stream()
            .filter(range -> !range.isPoint())
            .map(range -> span(column, range))
            .collect(Collectors.toList());
    if (!points.isEmpty()) {
      tests.add(in(column(column), points));
    }
    return tests.size() == 1 ? tests.get(0) : "(" + String.join(" OR ", tests) + ")";
  }

  private static String in(String column, List<String> values) {
    return values.size() == 1
        ? column + " = " + values.get(0)
        : column + " IN (" + String.join(", ", values) + ")";
  }

  private static String span(FilterColumn column, Range range) {
    boolean isAddress = column.kind() == FilterColumn.Kind.ADDRESS;
    String name = isAddress ? "ip(" + column(column) + ")" : column(column);
    String low = value(column, range.low());
    String high = value(column, range.high());
    if (isAddress) {
      return "%s BETWEEN ip(%s) AND ip(%s)".formatted(name, low, high);
    } else if (range.high().equals(column.max())) {
      return name + " >= " + low;
    } else if (range.low().signum() == 0) {
      return name + " <= " + high;
    }
    return name + " BETWEEN " + low + " AND " + high;
  }

  private static String value(FilterColumn column, BigInteger value) {
    return switch (column.kind()) {
      case NUMBER -> value.toString();
      case ADDRESS -> SqlLiteral.of(FilterPrinter.address(value));
      case MAC -> SqlLiteral.of(FilterPrinter.mac(value.longValueExact()));
      case TIME -> "TIMESTAMP " + SqlLiteral.of(time(value.longValueExact()));
      case TEXT -> throw new AssertionError(column);
    };
  }

  private static String time(long micros) {
    String text = Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
    return text.replace('T', ' ').replace("Z", "");
  }
}
