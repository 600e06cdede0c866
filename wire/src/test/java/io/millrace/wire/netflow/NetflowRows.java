package io.millrace.wire.netflow;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;

/** Rows as text, for comparison. */
final class NetflowRows {
  private NetflowRows() {}

  /** A line for each row, with every column that the block has. */
  static String text(FlowBlock block) {
    StringBuilder text = new StringBuilder();
    for (int row = 0; row < block.rows(); row++) {
      for (FlowColumn column : FlowColumn.ALL) {
        if (block.has(column)) {
          text.append(column).append('=').append(text(block, column, row)).append(' ');
        }
      }
      text.append('\n');
    }
    return text.toString();
  }

  /** One value; {@code -} for null. */
  static String text(FlowBlock block, FlowColumn column, int row) {
    if (!block.has(column)) {
      return "-";
    }
    if (column.type() == FlowColumn.Type.ADDRESS) {
      long high = block.addressHigh(column)[row];
      long low = block.addressLow(column)[row];
      return Addresses.isNull(high, low) ? "-" : Addresses.toText(high, low);
    }
    long value = column.type().isInt() ? block.ints(column)[row] : block.longs(column)[row];
    return value == FlowBlock.NULL ? "-" : Long.toString(value);
  }
}
