package io.millrace.store.duckdb.top;

import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.ReportedColumn;
import io.millrace.store.filter.Filter;
import io.millrace.store.filter.FilterColumn;
import io.millrace.store.filter.Range;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Filters as conditions on stored rows {@code f}: columns are compared as they are stored, so that
 * DuckDB can skip row groups by their least and largest values. A text is compared once for each
 * name, not once for each row.
 */
final class FilterSql {
  private static final String DURATION =
      "(CASE WHEN f.\"flow_end\" >= f.\"flow_start\""
          + " THEN (epoch_us(f.\"flow_end\") - epoch_us(f.\"flow_start\")) // 1000"
          + " WHEN f.\"flow_end\" < f.\"flow_start\" THEN 0 END)";

  private FilterSql() {}

  static String where(Filter filter) {
    return sql(filter, false);
  }

  /**
   * @param exact whether NULL must be distinguished from false: inside of NOT
   */
  private static String sql(Filter filter, boolean exact) {
    if (filter instanceof Filter.Any) {
      return "true";
    } else if (filter instanceof Filter.And and) {
      return joined(and.parts(), " AND ", exact);
    } else if (filter instanceof Filter.Or or) {
      return joined(or.parts(), " OR ", exact);
    } else if (filter instanceof Filter.Not not) {
      return "(NOT " + sql(not.part(), true) + ")";
    } else if (filter instanceof Filter.Holds holds) {
      String part = sql(holds.part(), false);
      return exact ? "coalesce(" + part + ", false)" : part;
    } else if (filter instanceof Filter.NoValue missing) {
      return "(" + column(missing.column()) + " IS NULL)";
    } else if (filter instanceof Filter.Within within) {
      return within(within.column(), within.ranges());
    } else if (filter instanceof Filter.OneOf oneOf) {
      return named(
          oneOf.column(),
          " IN (%s)"
              .formatted(
                  oneOf.texts().stream().map(SqlLiteral::of).collect(Collectors.joining(", "))),
          exact);
    } else if (filter instanceof Filter.Like like) {
      return named(
          like.column(),
          (like.anyCase() ? " ILIKE " : " LIKE ") + SqlLiteral.of(like.pattern()),
          exact);
    } else if (filter instanceof Filter.Bits bits) {
      return "((%s::BIGINT & %s) = %s)".formatted(column(bits.column()), bits.mask(), bits.value());
    }
    throw new AssertionError(filter);
  }

  private static String joined(List<Filter> parts, String with, boolean exact) {
    return parts.stream().map(part -> sql(part, exact)).collect(Collectors.joining(with, "(", ")"));
  }

  private static String column(FilterColumn column) {
    if (!column.isComputed()) {
      return "f." + Catalog.quoted(column.name());
    }
    return switch (column.name()) {
      case "duration" -> DURATION;
      case "bps" -> quotient("f.\"bytes\"::HUGEINT * 8000", DURATION);
      case "pps" -> quotient("f.\"packets\"::HUGEINT * 1000", DURATION);
      case "bpp" -> quotient("f.\"bytes\"", "f.\"packets\"");
      default -> ReportedColumn.ofRow(column.name());
    };
  }

  private static String quotient(String sql, String by) {
    return "(CASE WHEN %2$s > 0 THEN (%1$s) // (%2$s) WHEN %2$s = 0 THEN 0 END)".formatted(sql, by);
  }

  private static String named(FilterColumn column, String condition, boolean exact) {
    if (column.isComputed()) { // reported by devices: the text itself
      return "(" + column(column) + condition + ")";
    }
    String test =
        "(%s IN (SELECT id FROM %s WHERE name%s))"
            .formatted(column(column), Catalog.main("names"), condition);
    return exact ? "(CASE WHEN " + column(column) + " IS NOT NULL THEN " + test + " END)" : test;
  }

  private static String within(FilterColumn column, List<Range> ranges) {
    List<String> points = new ArrayList<>();
    List<String> tests = new ArrayList<>();
    for (Range range : ranges) {
      if (range.isPoint()) {
        points.add(value(column, range.low()));
      } else {
        tests.add(span(column, range));
      }
    }
    if (points.size() == 1) {
      tests.add(column(column) + " = " + points.get(0));
    } else if (!points.isEmpty()) {
      tests.add(column(column) + " IN (" + String.join(", ", points) + ")");
    }
    return "(" + String.join(" OR ", tests) + ")";
  }

  private static String span(FilterColumn column, Range range) {
    String name = column(column);
    if (range.high().equals(column.max())) {
      return name + " >= " + value(column, range.low());
    } else if (range.low().signum() == 0) {
      return name + " <= " + value(column, range.high());
    }
    return name + " BETWEEN " + value(column, range.low()) + " AND " + value(column, range.high());
  }

  private static String value(FilterColumn column, BigInteger value) {
    return switch (column.kind()) {
      case ADDRESS -> value + "::UHUGEINT";
      case TIME -> "make_timestamp(" + value + "::BIGINT)";
      default -> value.toString();
    };
  }
}
