package io.millrace.analytics.keyed;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.Step;
import io.millrace.wire.block.Block;

/**
 * A step that joins two streams of different blocks by a key that both have: the rows of either
 * input with one key come to one subtask, which has one state for both. Calls come as {@link Step}
 * says.
 *
 * <p>The order within an input is that of its sender. Which of the two inputs comes first is
 * chance, and another one behind a failure. Event time is the least of both, so results depend on
 * the rows alone if the rows wait in {@link EventRows} until {@link #watermark} says that their
 * time has come. An input whose log is silent does not hold event time up.
 *
 * @param <F> the blocks of the first input
 * @param <S> the blocks of the second input
 * @param <O> the blocks that come out
 */
public interface TwoInputAnalyzer<F extends Block, S extends Block, O extends Block>
    extends Step<O>, KeyedState {
  /**
   * Works on a block of the first input.
   *
   * @param block owned by the analyzer from now on
   * @param out takes the results; not to be kept after the call
   */
  void processFirst(F block, Emitter<O> out) throws Exception;

  /**
   * Works on a block of the second input.
   *
   * @param block owned by the analyzer from now on
   * @param out takes the results; not to be kept after the call
   */
  void processSecond(S block, Emitter<O> out) throws Exception;
}
