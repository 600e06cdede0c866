package io.millrace.store;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.sink.BlockSink;

/**
 * Appends flows. Rows become visible, and safe from the end of the process, by themselves: when
 * enough have come for the store to write them in its best shape, and at the latest when one has
 * waited for as long as it may ({@link FlowTable#sink}).
 */
public interface FlowWriter extends BlockSink<FlowBlock, Frontier> {
  /** Number of rows that this writer's table has taken and not yet committed. */
  long pendingRows();
}
