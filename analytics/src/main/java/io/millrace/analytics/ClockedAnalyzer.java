package io.millrace.analytics;

import io.millrace.wire.block.Block;

/**
 * An {@link Analyzer} that also works in processing time: it emits changes at fixed intervals, with
 * or without input. These rows have no position in the log and may differ in a replay, so they must
 * be upserts, with a sink that commits rows by checkpoint.
 *
 * @param <O> output blocks
 */
public interface ClockedAnalyzer<O extends Block> {
  /** Length of an interval in microseconds; at least a millisecond, and constant. */
  long tickMicros();

  /**
   * Ends an interval. Called between two blocks, on the analyzer's thread, at multiples of {@link
   * #tickMicros} since the epoch or as soon afterwards as possible; missed intervals are skipped.
   *
   * @param micros processing time, microseconds since the epoch
   * @param out receives the results; must not be kept after the call
   */
  void tick(long micros, Emitter<O> out) throws Exception;
}
