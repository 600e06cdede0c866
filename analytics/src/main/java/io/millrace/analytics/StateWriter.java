package io.millrace.analytics;

/** Writer of the entries of a {@link PartitionedState} at a checkpoint. */
@FunctionalInterface
public interface StateWriter {
  /**
   * Writes an entry.
   *
   * @param key identifies the entry; use few keys
   * @param version version of the entry; if several subtasks write a key, the entry with the
   *     greatest version is restored
   * @param state serialised state, small; the writer takes ownership
   */
  void put(int key, long version, byte[] state) throws Exception;
}
