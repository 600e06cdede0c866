package io.millrace.analytics;

import io.millrace.wire.block.Block;

/**
 * A step of a pipeline: blocks in, blocks out, independent of a stream engine, so that the same
 * class runs in a unit test, in a benchmark, in the embedded job and on a cluster. {@link Step} has
 * the order of calls.
 *
 * <p>Data that must survive a failure is state, of one of two kinds: {@link
 * io.millrace.analytics.keyed.KeyedAnalyzer} for keyed state, which is partitioned over the
 * subtasks like the rows, and {@link PartitionedState} for a few entries that belong to partitions
 * of the log. Other analyzers have no state.
 *
 * @param <I> input blocks
 * @param <O> output blocks
 */
public interface Analyzer<I extends Block, O extends Block> extends Step<O> {
  /**
   * Processes one block and emits any number of blocks.
   *
   * @param block owned by the analyzer from now on; it may be changed and emitted
   * @param out receives the results; must not be kept after the call
   */
  void process(I block, Emitter<O> out) throws Exception;
}
