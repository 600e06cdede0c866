package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockBuffer;
import java.io.IOException;
import java.util.List;

/**
 * State of a {@link KeyedAnalyzer} at one moment, of its own. Turned into bytes by another thread
 * while the analyzer works on; the calls come from one thread.
 */
public interface StateSnapshot {
  /** Whether there is no state in a group: then nothing is written, and nothing restored. */
  boolean isEmpty(int group);

  /** Appends the state of a group that is not empty; called for the groups in their order. */
  void write(int group, BlockBuffer out) throws IOException;

  /** Whether {@link #writeChanges} can be asked for what has changed since an earlier snapshot. */
  default boolean hasChangesSince(StateSnapshot before) {
    return false;
  }

  /**
   * Appends what has changed in a group since an earlier snapshot of the same state, in bytes that
   * are restored on top of those before; something to restore even if nothing has changed. The
   * earlier snapshot is not released, and was written or asked itself.
   *
   * @return whether anything has changed; the group may be empty now, or have been
   */
  default boolean writeChanges(int group, StateSnapshot before, BlockBuffer out)
      throws IOException {
    throw new UnsupportedOperationException("a snapshot that writes all of its state");
  }

  /**
   * Nobody will read the snapshot any more, whether it was written or its checkpoint was given up:
   * its memory may serve the next snapshot. Called from any thread, at most once, and not at all if
   * the job ends.
   */
  default void release() {}

  /**
   * The same behind four bytes that say of what and of which version it is; they stand in front of
   * each group, and of its changes.
   */
  default StateSnapshot behind(int head) {
    return new HeadedSnapshot(head, this);
  }

  /** The snapshot of several states, one behind the other; read back in the same order. */
  static StateSnapshot of(StateSnapshot... snapshots) {
    return new CompositeSnapshot(List.of(snapshots));
  }
}
