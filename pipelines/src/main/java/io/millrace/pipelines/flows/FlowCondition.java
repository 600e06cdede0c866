package io.millrace.pipelines.flows;

import io.millrace.analytics.hitters.ColumnTexts;
import io.millrace.store.filter.Filter;
import io.millrace.store.filter.FilterColumn;
import io.millrace.store.filter.Range;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/**
 * A filter on the rows of a block, in SQL's three-valued logic: 1 is true, 0 is false, and {@link
 * FlowBlock#NULL} is unknown.
 */
@FunctionalInterface
interface FlowCondition {
  /** Number of texts whose results are cached. */
  int MAX_TEXTS = 1 << 16;

  /**
   * Evaluates the filter.
   *
   * @param is result, at least as long as the number of rows
   */
  void of(FlowBlock flows, long[] is);

  /**
   * Compiles a filter.
   *
   * @param texts of the columns that have them
   * @throws IllegalArgumentException if it uses columns that only the store has
   */
  static FlowCondition of(Filter filter, ColumnTexts texts) {
    if (filter instanceof Filter.Any) {
      return (flows, is) -> Arrays.fill(is, 0, flows.rows(), 1);
    } else if (filter instanceof Filter.And and) {
      return joined(and.parts().stream().map(part -> of(part, texts)).toList(), 0);
    } else if (filter instanceof Filter.Or or) {
      return joined(or.parts().stream().map(part -> of(part, texts)).toList(), 1);
    } else if (filter instanceof Filter.Not not) {
      return each(of(not.part(), texts)::of, is -> is == FlowBlock.NULL ? is : 1 - is);
    } else if (filter instanceof Filter.Holds holds) {
      return each(of(holds.part(), texts)::of, is -> is == 1 ? 1 : 0);
    } else if (filter instanceof Filter.NoValue missing) {
      return isAddress(missing.column())
          ? ofAddress(missing.column(), (high, low) -> Addresses.isNull(high, low) ? 1 : 0)
          : each(numbers(missing.column()), value -> value == FlowBlock.NULL ? 1 : 0);
    } else if (filter instanceof Filter.Within within) {
      return isAddress(within.column())
          ? ofAddress(within.column(), inRanges(within.ranges()))
          : known(numbers(within.column()), inNumbers(within.ranges()));
    } else if (filter instanceof Filter.Bits bits) {
      return known(numbers(bits.column()), value -> (value & bits.mask()) == bits.value());
    } else if (filter instanceof Filter.OneOf oneOf) {
      return ofText(oneOf.column(), texts, oneOf.texts()::contains);
    } else if (filter instanceof Filter.Like like) {
      return ofText(like.column(), texts, like.toPattern().asMatchPredicate());
    }
    throw new AssertionError(filter);
  }

  /**
   * AND ({@code decides} = 0) or OR ({@code decides} = 1) of the parts: {@code decides} if any part
   * has that value; otherwise unknown if any part is unknown; otherwise the opposite.
   */
  private static FlowCondition joined(List<FlowCondition> parts, long decides) {
    return (flows, is) -> {
      int rows = flows.rows();
      long[] other = new long[rows];
      parts.get(0).of(flows, is);
      for (FlowCondition part : parts.subList(1, parts.size())) {
        part.of(flows, other);
        for (int row = 0; row < rows; row++) {
          boolean isDecided = is[row] == decides || other[row] == decides;
          boolean isUnknown = is[row] == FlowBlock.NULL || other[row] == FlowBlock.NULL;
          is[row] = isDecided ? decides : isUnknown ? FlowBlock.NULL : 1 - decides;
        }
      }
    };
  }

  /** Mapping of a value. */
  interface Change {
    long of(long value);
  }

  private static FlowCondition each(FlowNumbers numbers, Change change) {
    return (flows, is) -> {
      numbers.of(flows, is);
      for (int row = 0; row < flows.rows(); row++) {
        is[row] = change.of(is[row]);
      }
    };
  }

  private static FlowCondition known(FlowNumbers numbers, LongPredicate test) {
    return each(
        numbers, value -> value == FlowBlock.NULL ? FlowBlock.NULL : test.test(value) ? 1 : 0);
  }

  private static FlowNumbers numbers(FilterColumn column) {
    if (FilterColumn.COMPUTED.contains(column.name()) && column.isComputed()) {
      return FlowNumbers.computed(column.name());
    } else if (column.isComputed() || column.name().startsWith("log_")) {
      throw new IllegalArgumentException(
          column.name() + " is only available in the store, not in keys of flows");
    }
    return FlowNumbers.column(column.name());
  }

  private static LongPredicate inNumbers(List<Range> ranges) {
    long[] lows = ranges.stream().mapToLong(range -> range.low().longValueExact()).toArray();
    long[] highs = ranges.stream().mapToLong(range -> range.high().longValueExact()).toArray();
    return value -> {
      boolean isWithin = false;
      for (int i = 0; i < lows.length; i++) {
        isWithin |= value >= lows[i] && value <= highs[i];
      }
      return isWithin;
    };
  }

  /** Predicate on an address. */
  interface AddressTest {
    long of(long high, long low);
  }

  private static boolean isAddress(FilterColumn column) {
    return column.kind() == FilterColumn.Kind.ADDRESS;
  }

  private static FlowCondition ofAddress(FilterColumn column, AddressTest test) {
    FlowColumn wire =
        FlowColumn.ALL.stream()
            .filter(each -> each.columnName().equals(column.name()))
            .findFirst()
            .orElseThrow();
    return (flows, is) -> {
      boolean isThere = flows.has(wire);
      long[] high = isThere ? flows.addressHigh(wire) : null;
      long[] low = isThere ? flows.addressLow(wire) : null;
      for (int row = 0; row < flows.rows(); row++) {
        is[row] = isThere ? test.of(high[row], low[row]) : test.of(Addresses.NULL, Addresses.NULL);
      }
    };
  }

  private static AddressTest inRanges(List<Range> ranges) {
    long[][] lows = ranges.stream().map(range -> halves(range.low())).toArray(long[][]::new);
    long[][] highs = ranges.stream().map(range -> halves(range.high())).toArray(long[][]::new);
    return (high, low) -> {
      if (Addresses.isNull(high, low)) {
        return FlowBlock.NULL;
      }
      boolean isWithin = false;
      for (int i = 0; i < lows.length; i++) {
        isWithin |= compare(high, low, lows[i]) >= 0 && compare(high, low, highs[i]) <= 0;
      }
      return isWithin ? 1 : 0;
    };
  }

  private static long[] halves(BigInteger address) {
    return new long[] {address.shiftRight(Long.SIZE).longValue(), address.longValue()};
  }

  private static int compare(long high, long low, long[] other) {
    int order = Long.compareUnsigned(high, other[0]);
    return order == 0 ? Long.compareUnsigned(low, other[1]) : order;
  }

  /** Looks up each text once. A text whose data set was replaced meanwhile is unknown. */
  private static FlowCondition ofText(
      FilterColumn column, ColumnTexts texts, Predicate<String> test) {
    Map<Long, Long> answers = new HashMap<>();
    return each(
        numbers(column),
        id -> {
          if (id == FlowBlock.NULL) {
            return FlowBlock.NULL;
          }
          if (answers.size() == MAX_TEXTS) {
            answers.clear();
          }
          return answers.computeIfAbsent(
              id,
              asked -> {
                String text = texts.text(column.name(), asked);
                return text == null ? FlowBlock.NULL : test.test(text) ? 1L : 0L;
              });
        });
  }
}
