package io.millrace.analytics;

/** Receiver of the pieces of a {@link PartitionedState} at a checkpoint. */
@FunctionalInterface
public interface StatePieces {
  /**
   * Writes the state of one key.
   *
   * @param key of the piece; for a small number of small pieces
   * @param version of the piece: among several pieces of a key, from several subtasks, the greatest
   *     version is restored
   * @param state is owned by the receiver
   */
  void put(int key, long version, byte[] state) throws Exception;
}
