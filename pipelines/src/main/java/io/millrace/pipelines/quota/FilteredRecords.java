package io.millrace.pipelines.quota;

import io.millrace.analytics.quota.RecordCondition;
import io.millrace.store.filter.Filter;
import io.millrace.store.filter.FilterParser;
import io.millrace.store.filter.Range;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.math.BigInteger;
import java.util.List;
import java.util.regex.Pattern;

/** Filters records of a stream, in SQL's three-valued logic. Not thread-safe. */
final class FilteredRecords implements RecordCondition {
  private static final long serialVersionUID = 1L;

  /** Used part of the limit, in percent, rounded down. */
  static final String USED_PERCENT = "used_percent";

  private final String text;
  private final TableSchema known;
  private final TableSchema records;
  private transient Test test;

  /** Result for a row: true, false, or null for unknown. */
  @FunctionalInterface
  private interface Test {
    Boolean of(TableBlock block, int row);
  }

  @FunctionalInterface
  private interface Whole {
    long of(TableBlock block, int row);
  }

  FilteredRecords(String text, TableSchema known, TableSchema records) {
    this.text = text;
    this.known = known;
    this.records = records;
  }

  static boolean usesAny(Filter filter, TableSchema columns) {
    if (filter instanceof Filter.And and) {
      return and.parts().stream().anyMatch(part -> usesAny(part, columns));
    } else if (filter instanceof Filter.Or or) {
      return or.parts().stream().anyMatch(part -> usesAny(part, columns));
    } else if (filter instanceof Filter.Not not) {
      return usesAny(not.part(), columns);
    } else if (filter instanceof Filter.Holds holds) {
      return usesAny(holds.part(), columns);
    }
    return columns.indexOf(column(filter)) >= 0;
  }

  private static String column(Filter filter) {
    if (filter instanceof Filter.NoValue missing) {
      return missing.column().name();
    } else if (filter instanceof Filter.Within within) {
      return within.column().name();
    } else if (filter instanceof Filter.OneOf oneOf) {
      return oneOf.column().name();
    } else if (filter instanceof Filter.Like like) {
      return like.column().name();
    } else if (filter instanceof Filter.Bits bits) {
      return bits.column().name();
    }
    throw new IllegalArgumentException(filter + " applies to flows, not to records");
  }

  @Override
  public boolean holds(TableBlock block, int row) {
    if (test == null) {
      test = test(FilterParser.parse(text, known));
    }
    return Boolean.TRUE.equals(test.of(block, row));
  }

  private Test test(Filter filter) {
    if (filter instanceof Filter.And and) {
      return joined(and.parts(), false);
    } else if (filter instanceof Filter.Or or) {
      return joined(or.parts(), true);
    } else if (filter instanceof Filter.Not not) {
      Test part = test(not.part());
      return (block, row) -> {
        Boolean is = part.of(block, row);
        return is == null ? null : Boolean.valueOf(!is);
      };
    } else if (filter instanceof Filter.Holds holds) {
      Test part = test(holds.part());
      return (block, row) -> Boolean.TRUE.equals(part.of(block, row));
    }
    int column = records.indexOf(column(filter));
    return column >= 0 && records.type(column) == TableSchema.Type.TEXT
        ? ofText(filter, column)
        : ofNumber(filter, number(column));
  }

  /**
   * AND ({@code decides} = false) or OR ({@code decides} = true) of the parts: {@code decides} if
   * any part has that value; otherwise unknown if any part is unknown; otherwise the opposite.
   */
  private Test joined(List<Filter> parts, boolean decides) {
    Test[] tests = parts.stream().map(this::test).toArray(Test[]::new);
    return (block, row) -> {
      boolean isKnown = true;
      for (Test each : tests) {
        Boolean is = each.of(block, row);
        if (is != null && is == decides) {
          return decides;
        }
        isKnown &= is != null;
      }
      return isKnown ? !decides : null;
    };
  }

  private static Test ofText(Filter filter, int column) {
    if (filter instanceof Filter.NoValue) {
      return (block, row) -> block.texts(column).isNull(row);
    }
    Pattern pattern = filter instanceof Filter.Like like ? like.toPattern() : null;
    List<String> texts = filter instanceof Filter.OneOf oneOf ? oneOf.texts() : List.of();
    return (block, row) -> {
      String text = block.texts(column).get(row);
      if (text == null) {
        return null;
      }
      return pattern == null ? texts.contains(text) : pattern.matcher(text).matches();
    };
  }

  private Whole number(int column) {
    if (column >= 0) {
      return (block, row) -> block.longs(column)[row];
    }
    int limit = records.indexOf("quota_limit");
    int used = records.indexOf("quota_used");
    return (block, row) -> block.longs(used)[row] * 100 / block.longs(limit)[row];
  }

  private static Test ofNumber(Filter filter, Whole number) {
    if (filter instanceof Filter.NoValue) {
      return (block, row) -> number.of(block, row) == TableBlock.NULL;
    }
    if (filter instanceof Filter.Bits bits) {
      return (block, row) -> (number.of(block, row) & bits.mask()) == bits.value();
    }
    List<Range> ranges = ((Filter.Within) filter).ranges();
    long[] lows = ranges.stream().map(Range::low).mapToLong(FilteredRecords::clamped).toArray();
    long[] highs = ranges.stream().map(Range::high).mapToLong(FilteredRecords::clamped).toArray();
    return (block, row) -> {
      long value = number.of(block, row);
      boolean isWithin = false;
      for (int i = 0; i < lows.length; i++) {
        isWithin |= value >= lows[i] && value <= highs[i];
      }
      return isWithin;
    };
  }

  private static long clamped(BigInteger bound) {
    return bound.bitLength() < Long.SIZE ? bound.longValue() : Long.MAX_VALUE;
  }
}
