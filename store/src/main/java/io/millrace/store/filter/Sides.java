package io.millrace.store.filter;

import io.millrace.store.FlowSchema;
import java.util.List;

/** Counterpart columns: source and destination, ingress and egress. */
public final class Sides {
  private static final List<List<String>> SIDES =
      List.of(List.of("src_", "dst_"), List.of("in_", "out_"));

  private Sides() {}

  /** Name of the column of the other side; the same name if it has no side. */
  public static String other(String column) {
    for (List<String> sides : SIDES) {
      for (int i = 0; i < 2; i++) {
        String other = sides.get(1 - i);
        if (column.startsWith(sides.get(i))) {
          return other + column.substring(sides.get(i).length());
        }
        int at = column.indexOf("_" + sides.get(i));
        if (at >= 0) { // exporter_src_as
          return column.substring(0, at + 1)
              + other
              + column.substring(at + 1 + sides.get(i).length());
        }
      }
    }
    return column;
  }

  /**
   * The filter for the reverse direction.
   *
   * @param schema of the filter's table; columns without a counterpart there stay
   */
  public static Filter other(Filter filter, FlowSchema schema) {
    return other(filter, new FilterColumns(schema));
  }

  private static Filter other(Filter filter, FilterColumns columns) {
    if (filter instanceof Filter.And and) {
      return new Filter.And(others(and.parts(), columns));
    } else if (filter instanceof Filter.Or or) {
      return new Filter.Or(others(or.parts(), columns));
    } else if (filter instanceof Filter.Not not) {
      return new Filter.Not(other(not.part(), columns));
    } else if (filter instanceof Filter.Holds holds) {
      return new Filter.Holds(other(holds.part(), columns));
    } else if (filter instanceof Filter.NoValue missing) {
      return new Filter.NoValue(other(missing.column(), columns));
    } else if (filter instanceof Filter.Within within) {
      return new Filter.Within(other(within.column(), columns), within.ranges());
    } else if (filter instanceof Filter.OneOf oneOf) {
      return new Filter.OneOf(other(oneOf.column(), columns), oneOf.texts());
    } else if (filter instanceof Filter.Like like) {
      return new Filter.Like(other(like.column(), columns), like.pattern(), like.anyCase());
    } else if (filter instanceof Filter.Bits bits) {
      return new Filter.Bits(other(bits.column(), columns), bits.mask(), bits.value());
    }
    return filter; // Any
  }

  private static List<Filter> others(List<Filter> parts, FilterColumns columns) {
    return parts.stream().map(part -> other(part, columns)).toList();
  }

  private static FilterColumn other(FilterColumn column, FilterColumns columns) {
    FilterColumn other = columns.find(other(column.name()));
    return other == null ? column : other;
  }
}
