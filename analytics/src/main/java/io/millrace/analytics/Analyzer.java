package io.millrace.analytics;

import io.millrace.wire.block.Block;

/**
 * A step of a pipeline: blocks in, blocks out, and no stream engine in sight, so that the same
 * class runs in a unit test, in a benchmark, in the embedded job and on a cluster. {@link Step}
 * says who calls what, and when.
 *
 * <p>What must survive a failure is state, of one of two kinds: {@link
 * io.millrace.analytics.keyed.KeyedAnalyzer} for state by key, which is dealt out over the subtasks
 * together with the rows, and {@link PartitionedState} for a few pieces that belong to partitions
 * of the log. An analyzer that is neither has no state.
 *
 * @param <I> the blocks that go in
 * @param <O> the blocks that come out
 */
public interface Analyzer<I extends Block, O extends Block> extends Step<O> {
  /**
   * Works on one block and emits any number of blocks.
   *
   * @param block owned by the analyzer from now on; it may be changed and emitted
   * @param out takes the results; not to be kept after the call
   */
  void process(I block, Emitter<O> out) throws Exception;
}
