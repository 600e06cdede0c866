package io.millrace.wire.netflow;

import io.millrace.wire.block.FlowBlock;

/**
 * Receiver of full blocks while one log value gives more rows: data that waited for a template may
 * be hundreds of times larger than the datagram with the template. Called on the decoder's thread.
 */
@FunctionalInterface
public interface FullBlocks {
  /** Continues with the same block, however large it grows. */
  FullBlocks KEEP = full -> full;

  /** Returns the block to continue with; the full one belongs to the receiver. */
  FlowBlock next(FlowBlock full);
}
