package io.millrace.analytics;

/**
 * State of an {@link Analyzer} in a few small pieces, each of which belongs to a partition of the
 * log, or to another input that is read by one subtask at a time.
 */
public interface PartitionedState {
  /** Writes the state in pieces; called at each checkpoint, between two blocks. */
  void snapshot(StatePieces out) throws Exception;

  /**
   * Restores a piece of state. Each subtask receives the newest piece of every key, whichever
   * subtask wrote it, and must write them all again at the next {@link #snapshot}, since keys may
   * have moved between subtasks.
   *
   * @param key as the analyzer wrote it
   * @param version as the analyzer wrote it
   * @param state its bytes
   */
  void restore(int key, long version, byte[] state) throws Exception;
}
