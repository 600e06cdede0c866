package io.millrace.analytics;

/** Takes the pieces of a {@link PartitionedState} at a checkpoint. */
@FunctionalInterface
public interface StatePieces {
  /**
   * Takes the state of one key.
   *
   * @param key what the piece belongs to; small state of which there are few pieces
   * @param version how new the piece is: of several pieces of a key, from several subtasks, the
   *     greatest version is restored
   * @param state given away
   */
  void put(int key, long version, byte[] state) throws Exception;
}
