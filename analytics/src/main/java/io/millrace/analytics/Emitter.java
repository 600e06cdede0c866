package io.millrace.analytics;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.RawBatch;

/**
 * Receiver of an {@link Analyzer}'s results. Called only by the thread that called the analyzer,
 * and only until that call returns.
 *
 * @param <O> output blocks
 */
@FunctionalInterface
public interface Emitter<O extends Block> {
  /** Emits a block, which the analyzer must not use again. Blocks under back-pressure. */
  void emit(O block);

  /**
   * Emits a block unless there is back-pressure. For analyzers that can continue to aggregate while
   * downstream operators are busy: they keep a rejected block in their state, and {@link #emit} it
   * once the watermark reaches its time.
   *
   * @return whether the block was accepted; if not, it still belongs to the analyzer
   */
  default boolean offer(O block) {
    emit(block);
    return true;
  }

  /**
   * Emits a block to a side output. Blocks under back-pressure.
   *
   * @throws IllegalArgumentException if the analyzer does not {@linkplain Analyzer#outputs declare}
   *     it
   */
  default <B extends Block> void emit(Output<B> output, B block) {
    throw new IllegalArgumentException("no receiver for the side output " + output.name());
  }

  /**
   * Sends unusable input to the topic of dead letters. By default drops it. The analyzer must count
   * it.
   */
  default void reject(RawBatch rejected) {}
}
