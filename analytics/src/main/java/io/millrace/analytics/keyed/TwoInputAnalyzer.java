package io.millrace.analytics.keyed;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.Step;
import io.millrace.wire.block.Block;

/**
 * A step that joins two streams of different blocks by a common key: the rows of both inputs with
 * one key are sent to one subtask, which has one state for both. {@link Step} has the order of
 * calls.
 *
 * <p>Each input keeps the order of its sender. The order between the inputs is arbitrary, and
 * changes after a failure. The watermark is the minimum of both, so results depend only on the rows
 * if these wait in {@link EventRows} until {@link #watermark} has passed their time. An idle input
 * does not hold the watermark back.
 *
 * @param <F> blocks of the first input
 * @param <S> blocks of the second input
 * @param <O> output blocks
 */
public interface TwoInputAnalyzer<F extends Block, S extends Block, O extends Block>
    extends Step<O>, KeyedState {
  /**
   * Processes a block of the first input.
   *
   * @param block owned by the analyzer from now on
   * @param out receives the results; must not be kept after the call
   */
  void processFirst(F block, Emitter<O> out) throws Exception;

  /**
   * Processes a block of the second input.
   *
   * @param block owned by the analyzer from now on
   * @param out receives the results; must not be kept after the call
   */
  void processSecond(S block, Emitter<O> out) throws Exception;
}
