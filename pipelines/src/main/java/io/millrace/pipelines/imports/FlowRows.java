package io.millrace.pipelines.imports;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;

/** Rows of blocks that are filled column by column. */
final class FlowRows {
  private FlowRows() {}

  /** Makes every column of a row NULL that a block always has. */
  static void clear(FlowBlock block, int row) {
    for (FlowColumn column : FlowColumn.ALL) {
      if (column.optional()) {
        continue; // null unless somebody writes
      }
      if (column.type().isInt()) {
        block.ints(column)[row] = FlowBlock.NULL;
      } else if (column.type().isLong()) {
        block.longs(column)[row] = FlowBlock.NULL;
      } else {
        block.addressHigh(column)[row] = Addresses.NULL;
        block.addressLow(column)[row] = Addresses.NULL;
      }
    }
  }
}
