package io.millrace.analytics;

import io.millrace.wire.block.Block;

/**
 * An {@link Analyzer} that also works by the machine's clock: it emits what has changed at equal
 * intervals, whether input comes or not. What it emits then has no place in the log and may fall
 * elsewhere in another run, so it must be rows of which the last counts, and a sink that knows rows
 * by checkpoint.
 *
 * @param <O> the blocks that come out
 */
public interface ClockedAnalyzer<O extends Block> {
  /** Length of an interval in microseconds; at least a millisecond, and always the same. */
  long tickMicros();

  /**
   * An interval is over. Called between two blocks, on the analyzer's thread, at multiples of
   * {@link #tickMicros} since the epoch or as soon behind them as the work allows; intervals that
   * were missed are not made up for.
   *
   * @param micros the machine's clock, microseconds since the epoch
   * @param out takes the results; not to be kept after the call
   */
  void tick(long micros, Emitter<O> out) throws Exception;
}
