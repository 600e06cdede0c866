package io.millrace.wire.netflow;

import io.millrace.wire.block.FlowBlock;

/**
 * Takes blocks that have as many rows as one should have, while the same log value goes on giving
 * more: what has waited for a template may be hundreds of times as much as the datagram that brings
 * it. Called on the decoder's thread.
 */
@FunctionalInterface
public interface FullBlocks {
  /** Goes on with the same block, however large it gets. */
  FullBlocks KEEP = full -> full;

  /** The block to go on with; the full one belongs to the receiver. */
  FlowBlock next(FlowBlock full);
}
