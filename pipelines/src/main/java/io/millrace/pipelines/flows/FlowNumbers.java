package io.millrace.pipelines.flows;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * Integer values of a column for each row of a block: a wire column other than addresses, a column
 * of a data set (texts by id), or a computed column. Unknown is {@link FlowBlock#NULL}; other
 * values are not negative.
 */
@FunctionalInterface
interface FlowNumbers {
  /**
   * Evaluates the column.
   *
   * @param values result, at least as long as the number of rows
   */
  void of(FlowBlock flows, long[] values);

  /** Values of a column; NULL in flows without it. */
  static FlowNumbers column(String name) {
    return FlowColumn.ALL.stream()
        .filter(column -> column.columnName().equals(name))
        .findFirst()
        .map(FlowNumbers::wire)
        .orElse((flows, values) -> joined(flows, name, values));
  }

  /** Values of a computed column, the same as the store computes for a filter. */
  static FlowNumbers computed(String name) {
    FlowNumbers duration = FlowNumbers::duration;
    return switch (name) {
      case "duration" -> duration;
      case "bps" -> quotient(wire(FlowColumn.BYTES), 8_000, duration);
      case "pps" -> quotient(wire(FlowColumn.PACKETS), 1_000, duration);
      case "bpp" -> quotient(wire(FlowColumn.BYTES), 1, wire(FlowColumn.PACKETS));
      default ->
          throw new IllegalArgumentException(name + " cannot be computed from columns of flows");
    };
  }

  private static FlowNumbers wire(FlowColumn column) {
    return (flows, values) -> {
      int rows = flows.rows();
      if (!flows.has(column)) {
        Arrays.fill(values, 0, rows, FlowBlock.NULL);
      } else if (column.type().isLong()) {
        System.arraycopy(flows.longs(column), 0, values, 0, rows);
      } else {
        int[] ints = flows.ints(column);
        for (int row = 0; row < rows; row++) {
          values[row] = ints[row] == FlowBlock.NULL ? FlowBlock.NULL : ints[row] & 0xFFFF_FFFFL;
        }
      }
    };
  }

  private static void joined(FlowBlock flows, String name, long[] values) {
    JoinedColumn column =
        flows.joined().stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
    for (int row = 0; row < flows.rows(); row++) {
      int value = column == null ? FlowBlock.NULL : column.values()[row];
      values[row] =
          value == FlowBlock.NULL ? FlowBlock.NULL : column.base() + (value & 0xFFFF_FFFFL);
    }
  }

  /**
   * Milliseconds from the first to the last packet. Allows for an exporter's clock that was set
   * back.
   */
  private static void duration(FlowBlock flows, long[] values) {
    int rows = flows.rows();
    long[] starts = new long[rows];
    wire(FlowColumn.FLOW_START).of(flows, starts);
    wire(FlowColumn.FLOW_END).of(flows, values);
    for (int row = 0; row < rows; row++) {
      boolean isKnown = starts[row] != FlowBlock.NULL && values[row] != FlowBlock.NULL;
      values[row] = isKnown ? Math.max(0, values[row] - starts[row]) / 1_000 : FlowBlock.NULL;
    }
  }

  /** Quotient, rounded down; 0 for a division by 0. */
  private static FlowNumbers quotient(FlowNumbers numbers, long times, FlowNumbers by) {
    return (flows, values) -> {
      int rows = flows.rows();
      long[] divisors = new long[rows];
      numbers.of(flows, values);
      by.of(flows, divisors);
      for (int row = 0; row < rows; row++) {
        values[row] = quotient(values[row], times, divisors[row]);
      }
    };
  }

  private static long quotient(long value, long times, long by) {
    if (value == FlowBlock.NULL || by == FlowBlock.NULL) {
      return FlowBlock.NULL;
    } else if (by == 0) {
      return 0;
    } else if (Math.multiplyHigh(value, times) == 0 && value * times >= 0) {
      return value * times / by;
    }
    return BigInteger.valueOf(value)
        .multiply(BigInteger.valueOf(times))
        .divide(BigInteger.valueOf(by))
        .min(BigInteger.valueOf(Long.MAX_VALUE))
        .longValue();
  }
}
