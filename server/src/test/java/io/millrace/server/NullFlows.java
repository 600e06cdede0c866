package io.millrace.server;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;

/** Blocks of flows without values, for tests that set the values they need. */
public final class NullFlows {
  private NullFlows() {}

  /** Rows with all values NULL and their row number as index in the log. */
  public static FlowBlock of(int rows) {
    FlowBlock block = new FlowBlock(rows);
    for (int row = 0; row < rows; row++) {
      for (FlowColumn column : FlowColumn.ALL) {
        if (column.type().isInt()) {
          block.ints(column)[row] = FlowBlock.NULL;
        } else if (column.type().isLong()) {
          block.longs(column)[row] = FlowBlock.NULL;
        } else {
          block.addressHigh(column)[row] = Addresses.NULL;
          block.addressLow(column)[row] = Addresses.NULL;
        }
      }
      block.logIndex()[row] = row;
    }
    block.rows(rows);
    return block;
  }
}
