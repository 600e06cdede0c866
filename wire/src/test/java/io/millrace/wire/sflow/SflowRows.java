package io.millrace.wire.sflow;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.List;

/** Blocks as text for comparison in tests, every column of every row; empty for null. */
final class SflowRows {
  private SflowRows() {}

  /** A line {@code name=value …} for each row. */
  static List<String> text(FlowBlock block) {
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      StringBuilder line = new StringBuilder();
      for (FlowColumn column : FlowColumn.ALL) {
        if (column.ordinal() > FlowColumn.NEXT_HOP.ordinal()) {
          continue; // sampled packets have no such columns
        }
        line.append(line.isEmpty() ? "" : " ").append(column.columnName()).append('=');
        line.append(
            column.type().isInt()
                ? unsigned(block.ints(column)[row])
                : column.type().isLong()
                    ? number(block.longs(column)[row])
                    : Addresses.toText(
                        block.addressHigh(column)[row], block.addressLow(column)[row]));
      }
      lines.add(line.append(" log_index=").append(block.logIndex()[row]).toString());
    }
    return lines;
  }

  /** Every column of every row. */
  static String all(FlowBlock block) {
    StringBuilder text = new StringBuilder();
    for (FlowColumn column : FlowColumn.ALL) {
      text.append(column.columnName()).append('=').append(column(block, column)).append('\n');
    }
    return text.toString();
  }

  /** A line {@code name=value …} for each row, without columns that are null. */
  static List<String> text(TableBlock block) {
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < block.schema().size(); i++) {
        String value = block.text(row, i);
        if (value != null && !value.isEmpty()) {
          line.append(line.isEmpty() ? "" : " ");
          line.append(block.schema().columns().get(i).name()).append('=').append(value);
        }
      }
      lines.add(line.toString());
    }
    return lines;
  }

  /** A column of all rows, unknown values as a dash. */
  static List<String> column(FlowBlock block, FlowColumn column) {
    List<String> values = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      String value =
          !block.has(column)
              ? ""
              : column.type().isInt()
                  ? unsigned(block.ints(column)[row])
                  : column.type().isLong()
                      ? number(block.longs(column)[row])
                      : Addresses.toText(
                          block.addressHigh(column)[row], block.addressLow(column)[row]);
      values.add(value.isEmpty() ? "-" : value);
    }
    return values;
  }

  /** The same for interface counters. */
  static List<String> text(CounterBlock block) {
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      StringBuilder line = new StringBuilder();
      for (CounterColumn column : CounterColumn.ALL) {
        line.append(line.isEmpty() ? "" : " ").append(column.columnName()).append('=');
        line.append(
            column.type().isInt()
                ? unsigned(block.ints(column)[row])
                : column.type().isLong()
                    ? number(block.longs(column)[row])
                    : Addresses.toText(
                        block.addressHigh(column)[row], block.addressLow(column)[row]));
      }
      lines.add(line.toString());
    }
    return lines;
  }

  private static String unsigned(int value) {
    return value == FlowBlock.NULL ? "" : Integer.toUnsignedString(value);
  }

  private static String number(long value) {
    return value == FlowBlock.NULL ? "" : Long.toString(value);
  }
}
