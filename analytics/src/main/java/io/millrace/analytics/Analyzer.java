package io.millrace.analytics;

import io.millrace.wire.block.Block;
import java.util.List;

/**
 * A step of a pipeline: blocks in, blocks out, and no stream engine in sight, so that the same
 * class runs in a unit test, in a benchmark, in the embedded job and on a cluster.
 *
 * <p>An analyzer is made once for each parallel subtask and used by one thread. Calls come in this
 * order: {@link #open}; the {@code restore} of its kind of state, if it has one, for all that the
 * last checkpoint holds; then any number of {@link #process}, {@link #watermark} and {@code
 * snapshot}; then {@link #close}, which also follows a failure. An exception is a failure of the
 * world: the engine restores the last checkpoint and reads the input again, so bad input must be
 * counted and {@linkplain Emitter#reject set aside} instead.
 *
 * <p>What must survive a failure is state, of one of two kinds: {@link
 * io.millrace.analytics.keyed.KeyedAnalyzer} for state by key, which is dealt out over the subtasks
 * together with the rows, and {@link PartitionedState} for a few pieces that belong to partitions
 * of the log. An analyzer that is neither has no state.
 *
 * @param <I> the blocks that go in
 * @param <O> the blocks that come out
 */
public interface Analyzer<I extends Block, O extends Block> extends AutoCloseable {
  /** Takes what the work needs (files, tables, buffers). Called once, before all else. */
  default void open(AnalyzerContext context) throws Exception {}

  /** The outputs to which it emits beside its first one; always the same. */
  default List<Output<?>> outputs() {
    return List.of();
  }

  /**
   * Works on one block and emits any number of blocks.
   *
   * @param block owned by the analyzer from now on; it may be changed and emitted
   * @param out takes the results; not to be kept after the call
   */
  void process(I block, Emitter<O> out) throws Exception;

  /**
   * Event time has passed {@code micros}: rows of that time or an earlier one are late if they come
   * now. Windows that end there are closed here. {@link AnalyzerContext#eventTime} gives that time
   * from now on.
   *
   * @param micros since the epoch; grows from call to call, and is {@link Long#MAX_VALUE} where the
   *     input ends
   * @param out takes the results; not to be kept after the call
   */
  default void watermark(long micros, Emitter<O> out) throws Exception {}

  /** Gives back what {@link #open} took. Called once, also when {@code open} threw. */
  @Override
  default void close() throws Exception {}
}
