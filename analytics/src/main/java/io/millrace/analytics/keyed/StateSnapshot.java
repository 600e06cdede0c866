package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockBuffer;
import java.io.IOException;
import java.util.List;

/**
 * Independent snapshot of a {@link KeyedAnalyzer}'s state. Serialised by another thread while the
 * analyzer continues; the calls come from one thread.
 */
public interface StateSnapshot {
  /** Whether a group has no state, so that nothing is written or restored. */
  boolean isEmpty(int group);

  /** Appends the state of a group that is not empty; called for the groups in order. */
  void write(int group, BlockBuffer out) throws IOException;

  /** Whether {@link #writeChanges} supports an earlier snapshot. */
  default boolean hasChangesSince(StateSnapshot before) {
    return false;
  }

  /**
   * Appends the changes of a group since an earlier snapshot of the same state, to be applied to it
   * at a restore; the bytes are valid even without changes. The earlier snapshot was written itself
   * and is not released.
   *
   * @return whether anything has changed; either snapshot may have no state of the group
   */
  default boolean writeChanges(int group, StateSnapshot before, BlockBuffer out)
      throws IOException {
    throw new UnsupportedOperationException("this snapshot does not support incremental writes");
  }

  /**
   * Releases the snapshot after it was written or its checkpoint was aborted: its memory may be
   * reused for the next one. Called from any thread, at most once, and not at all if the job ends.
   */
  default void release() {}

  /** Prefixes a header of four bytes with type and version to each group, and to its changes. */
  default StateSnapshot withHeader(int head) {
    return new HeaderSnapshot(head, this);
  }

  /** Concatenates the snapshots of several states; read back in the same order. */
  static StateSnapshot of(StateSnapshot... snapshots) {
    return new CompositeSnapshot(List.of(snapshots));
  }
}
