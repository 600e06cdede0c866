package io.millrace.analytics;

import io.millrace.wire.block.Block;

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
}
