package io.millrace.analytics;

import io.millrace.wire.block.Block;

/**
 * A step of a pipeline: blocks in, blocks out, and no stream engine in sight, so that the same
 * class runs in a unit test, in a benchmark, in the embedded job and on a cluster.
 *
 * <p>An analyzer is made once for each parallel subtask and used by one thread. Calls come in this
 * order: {@link #open}, then any number of {@link #process}, then {@link #close}; {@code close}
 * also follows a failure. An exception from {@code process} is a failure of the world: the engine
 * restores the last checkpoint and reads the input again, so bad bytes must be counted and skipped
 * instead.
 *
 * @param <I> the blocks that go in
 * @param <O> the blocks that come out
 */
public interface Analyzer<I extends Block, O extends Block> extends AutoCloseable {
  /** Takes what the work needs (files, tables, buffers). Called once, before any block. */
  default void open() throws Exception {}

  /**
   * Works on one block and emits any number of blocks.
   *
   * @param block owned by the analyzer from now on; it may be changed and emitted
   * @param out takes the results; not to be kept after the call
   */
  void process(I block, Emitter<O> out) throws Exception;

  /** Gives back what {@link #open} took. Called once, also when {@code open} threw. */
  @Override
  default void close() throws Exception {}
}
