package io.millrace.analytics;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.RawBatch;

/**
 * Where an {@link Analyzer} puts its results. Called only by the thread that called the analyzer,
 * and only until that call returns.
 *
 * @param <O> the blocks that come out
 */
@FunctionalInterface
public interface Emitter<O extends Block> {
  /** Gives a block away: the analyzer must not touch it again. May block for back-pressure. */
  void emit(O block);

  /**
   * Sets input aside that could not be used, for a person to look at: the engine keeps it in a
   * topic of dead letters. By default it is dropped; counting it is the analyzer's business.
   */
  default void reject(RawBatch rejected) {}
}
