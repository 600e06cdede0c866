package io.millrace.analytics;

import io.millrace.wire.block.Block;

/**
 * A step of a pipeline: blocks in, blocks out, and no stream engine in sight, so that the same
 * class runs in a unit test, in a benchmark, in the embedded job and on a cluster.
 *
 * <p>An analyzer is made once for each parallel subtask and used by one thread. Calls come in this
 * order: {@link #open}, {@link #restore} for each piece of state that the last checkpoint holds,
 * then any number of {@link #process} and {@link #snapshot}, then {@link #close}; {@code close}
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

  /**
   * Writes the state that must survive a failure, in pieces; called at each checkpoint, between two
   * blocks. Without state there is nothing to do.
   */
  default void snapshot(StatePieces out) throws Exception {}

  /**
   * Takes back a piece of state. Each subtask is given the newest piece of every key, whichever
   * subtask wrote it, and must write them all again at the next {@link #snapshot}: which keys come
   * to which subtask may have changed.
   *
   * @param key as the analyzer gave it
   * @param version as the analyzer gave it
   * @param state the bytes that it wrote
   */
  default void restore(int key, long version, byte[] state) throws Exception {}

  /** Gives back what {@link #open} took. Called once, also when {@code open} threw. */
  @Override
  default void close() throws Exception {}
}
