package io.millrace.analytics;

/** Receives the entries of a {@link PartitionedState} at a checkpoint. */
@FunctionalInterface
public interface StatePieces {
  /**
   * Writes the state of one key.
   *
   * @param key identifies the entry; few entries, each small
   * @param version of the entry; if several subtasks write the same key, the greatest version is
   *     restored
   * @param state serialised state; the receiver takes ownership
   */
  void put(int key, long version, byte[] state) throws Exception;
}
