package io.millrace.analytics;

import io.millrace.wire.block.Block;
import java.util.List;

/**
 * What every step of a pipeline has, whatever goes into it: {@link Analyzer} has one input, {@link
 * io.millrace.analytics.keyed.TwoInputAnalyzer} two.
 *
 * <p>A step is made once for each parallel subtask and used by one thread. Calls come in this
 * order: {@link #open}; the {@code restore} of its kind of state, if it has one, for all that the
 * last checkpoint holds; then any number of {@code process…}, {@link #watermark} and {@code
 * snapshot}; then {@link #close}, which also follows a failure. An exception is a failure of the
 * world: the engine restores the last checkpoint and reads the input again, so bad input must be
 * counted and {@linkplain Emitter#reject set aside} instead.
 *
 * @param <O> the blocks that come out
 */
public interface Step<O extends Block> extends AutoCloseable {
  /** Takes what the work needs (files, tables, buffers). Called once, before all else. */
  default void open(AnalyzerContext context) throws Exception {}

  /** The outputs to which it emits beside its first one; always the same. */
  default List<Output<?>> outputs() {
    return List.of();
  }

  /**
   * Event time has passed {@code micros}: rows of that time or an earlier one are late if they come
   * now. Windows that end there are closed here. {@link AnalyzerContext#eventTime} gives that time
   * from now on. With two inputs it is the lesser time of both.
   *
   * @param micros since the epoch; grows from call to call, and is {@link Long#MAX_VALUE} where the
   *     input ends
   * @param out takes the results; not to be kept after the call
   */
  default void watermark(long micros, Emitter<O> out) throws Exception {}

  /**
   * Nothing comes for now, and event time goes on without this subtask until something does. What
   * it holds for a step that adds up the parts of several subtasks is to be given out, also of
   * windows that are not over: behind, their time may have passed when this subtask's has. What
   * comes later of them is given as a further part.
   *
   * @param out takes the results; not to be kept after the call
   */
  default void idle(Emitter<O> out) throws Exception {}

  /** Gives back what {@link #open} took. Called once, also when {@code open} threw. */
  @Override
  default void close() throws Exception {}
}
