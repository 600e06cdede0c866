package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockInput;

/**
 * State by key of a step. The engine deals the rows out by {@link RowKeys}, so that each subtask
 * sees all rows of its keys and none of others, and moves state by {@linkplain KeyGroups key group}
 * when the number of subtasks changes.
 *
 * <p>{@link KeyTable}, {@link ByteKeyTable}, {@link EventTimers} and {@link EventRows} keep state
 * in this shape.
 */
public interface KeyedState {
  /**
   * The state as it is now, between two blocks. The work waits for this call and for nothing else
   * of a checkpoint: it should copy arrays, and leave it to the {@link StateSnapshot} to turn them
   * into bytes.
   */
  StateSnapshot snapshot() throws Exception;

  /**
   * Takes back what a snapshot wrote for a group that this subtask now has. Bytes of earlier
   * releases come here too: begin with a version.
   */
  void restore(int group, BlockInput in) throws Exception;

  /**
   * Announces that rows of a bucket of event time have come, of any key, to all subtasks of the
   * step. Called if the rows are keyed by {@link BucketedKeys}, before the watermark that closes
   * the bucket unless the rows are late. A bucket may be announced several times.
   *
   * @param bucket its number, counted from the epoch
   */
  default void hasBegun(long bucket) {}

  /**
   * Bytes of written state of a subtask from which on a checkpoint holds what has changed since the
   * one before, where the snapshot knows ({@link StateSnapshot#hasChangesSince}). Then a group is
   * restored in several calls, the first with all of its state and each further one with changes;
   * {@link KeyTable} and {@link EventTimers} know the difference by themselves, and keep no order
   * of entries then. The snapshot of the last checkpoint stays in memory for that. For an analyzer
   * whose restore hands the bytes on and does nothing else; never, unless it says so.
   */
  default long incrementalFrom() {
    return Long.MAX_VALUE;
  }
}
