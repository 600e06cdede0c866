package io.millrace.analytics;

/**
 * State of an {@link Analyzer} in a few small pieces, each of which belongs to a partition of the
 * log, or to whatever else is read by one subtask at a time.
 */
public interface PartitionedState {
  /** Writes the state in pieces; called at each checkpoint, between two blocks. */
  void snapshot(StatePieces out) throws Exception;

  /**
   * Takes back a piece of state. Each subtask is given the newest piece of every key, whichever
   * subtask wrote it, and must write them all again at the next {@link #snapshot}: which keys come
   * to which subtask may have changed.
   *
   * @param key as the analyzer gave it
   * @param version as the analyzer gave it
   * @param state the bytes that it wrote
   */
  void restore(int key, long version, byte[] state) throws Exception;
}
