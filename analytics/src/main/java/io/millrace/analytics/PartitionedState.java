package io.millrace.analytics;

/**
 * State of an {@link Analyzer} as a few small entries. Each belongs to a partition of the log, or
 * to another input that one subtask reads at a time.
 */
public interface PartitionedState {
  /** Writes all entries; called at each checkpoint, between two blocks. */
  void snapshot(StateWriter out) throws Exception;

  /**
   * Restores an entry. Every subtask receives the newest entry of every key, whichever subtask
   * wrote it, and must write all of them at the next {@link #snapshot}, since keys may have moved
   * between subtasks.
   *
   * @param key key of the entry
   * @param version version of the entry
   * @param state serialised state
   */
  void restore(int key, long version, byte[] state) throws Exception;
}
