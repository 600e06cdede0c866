package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockInput;

/**
 * Keyed state of a step. The engine partitions the rows by {@link RowKeys}, so that each subtask
 * receives all rows of its keys and no others, and moves state by {@linkplain KeyGroups key group}
 * when the number of subtasks changes.
 *
 * <p>{@link KeyTable}, {@link ByteKeyTable}, {@link EventTimers} and {@link EventRows} keep such
 * state.
 */
public interface KeyedState {
  /**
   * Takes a snapshot between two blocks. This is the only part of a checkpoint for which processing
   * waits, so it should only copy arrays and let the {@link StateSnapshot} serialise them.
   */
  StateSnapshot snapshot() throws Exception;

  /**
   * Restores the bytes of a snapshot for a group of this subtask. An earlier release may have
   * written them, so begin with a version.
   */
  void restore(int group, BlockInput in) throws Exception;

  /**
   * Announces to all subtasks of the step that rows of a bucket of event time, of any key, have
   * arrived. Called if the rows are keyed by {@link BucketedKeys}, before the watermark that closes
   * the bucket unless the rows are late. A bucket may be announced several times.
   *
   * @param bucket its number, counted from the epoch
   */
  default void hasBegun(long bucket) {}

  /**
   * Size of a subtask's serialised state in bytes from which checkpoints are incremental, if the
   * snapshot supports that ({@link StateSnapshot#hasChangesSince}). Then a group is restored in
   * several calls, the first with all of its state and each later one with changes; {@link
   * KeyTable} and {@link EventTimers} distinguish these, and do not preserve the order of entries.
   * The snapshot of the last checkpoint stays in memory. Only for analyzers whose restore merely
   * passes on the bytes; disabled by default.
   */
  default long incrementalFrom() {
    return Long.MAX_VALUE;
  }
}
