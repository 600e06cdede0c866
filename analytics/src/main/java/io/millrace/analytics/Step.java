package io.millrace.analytics;

import io.millrace.wire.block.Block;
import java.util.List;

/**
 * A step of a pipeline with any inputs: {@link Analyzer} has one, {@link
 * io.millrace.analytics.keyed.TwoInputAnalyzer} two.
 *
 * <p>A step is created once per parallel subtask and used by one thread. Calls come in this order:
 * {@link #open}; {@code restore}, if it has state, for all entries of the last checkpoint; then any
 * number of {@code process…}, {@link #watermark} and {@code snapshot}; then {@link #close}, also
 * after a failure. An exception fails the job: the engine restores the last checkpoint and reads
 * the input again, so bad input must be counted and {@linkplain Emitter#reject rejected} instead.
 *
 * @param <O> output blocks
 */
public interface Step<O extends Block> extends AutoCloseable {
  /** Acquires resources (files, tables, buffers). Called once, before all else. */
  default void open(AnalyzerContext context) throws Exception {}

  /** Side outputs; constant. */
  default List<Output<?>> outputs() {
    return List.of();
  }

  /**
   * The watermark has passed {@code micros}: rows of that time or earlier are late from now on.
   * Windows that end there are closed here. {@link AnalyzerContext#currentWatermark} already
   * returns that time. With two inputs it is the minimum of both.
   *
   * @param micros since the epoch; grows from call to call, and is {@link Long#MAX_VALUE} at the
   *     end of the input
   * @param out receives the results; must not be kept after the call
   */
  default void watermark(long micros, Emitter<O> out) throws Exception {}

  /**
   * The subtask is idle, and the watermark advances without it until input comes. Partial results
   * for a downstream aggregation must be emitted now, also for open windows: the downstream
   * watermark may pass these windows before this subtask's does. Later rows of these windows are
   * emitted as another partial result.
   *
   * @param out receives the results; must not be kept after the call
   */
  default void idle(Emitter<O> out) throws Exception {}

  /**
   * Releases the resources of {@link #open}. Called once, also if {@code open} threw an exception.
   */
  @Override
  default void close() throws Exception {}
}
