package io.millrace.store;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.sink.BlockSink;

/**
 * Appends flows. Rows become visible, and survive the end of the process, on their own: when there
 * are enough for efficient storage, and at the latest after the maximum delay ({@link
 * FlowTable#sink}).
 */
public interface FlowWriter extends BlockSink<FlowBlock, Frontier> {
  /** Number of rows that this writer's table has accepted and not yet committed. */
  long pendingRows();
}
