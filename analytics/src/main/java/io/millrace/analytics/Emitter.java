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
  /** Gives a block away: the analyzer must not touch it again. Waits while there is no room. */
  void emit(O block);

  /**
   * Gives a block away if there is room for it now. An analyzer that can go on summing up while the
   * steps behind it are busy offers; what it keeps is part of its state, and is emitted, not
   * offered, when the watermark says that it is due.
   *
   * @return whether the block was taken; if not, it still belongs to the analyzer
   */
  default boolean offer(O block) {
    emit(block);
    return true;
  }

  /**
   * Gives a block away to one of the analyzer's further outputs. Waits while there is no room.
   *
   * @throws IllegalArgumentException if the analyzer does not {@linkplain Analyzer#outputs name} it
   */
  default <B extends Block> void emit(Output<B> output, B block) {
    throw new IllegalArgumentException("nobody takes blocks of the output " + output.name());
  }

  /**
   * Sets input aside that could not be used, for a person to look at: the engine keeps it in a
   * topic of dead letters. By default it is dropped; counting it is the analyzer's business.
   */
  default void reject(RawBatch rejected) {}
}
