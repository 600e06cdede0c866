package io.millrace.server.collect;

/**
 * Where finished batches go: the log, as far as a collector knows it.
 *
 * <p>Called by one thread, the collector's reader, some thousand times a second.
 */
@FunctionalInterface
public interface BatchLog {
  /** The batch may go to any partition of the log. */
  int ANY = -1;

  /**
   * Takes a batch, or refuses it at once; never blocks and never throws for want of room.
   *
   * @param value bytes of a {@link io.millrace.wire.block.RawBatch}, given away
   * @param datagrams how many it holds, at least 1
   * @param partition of the log where the batch belongs, or {@link #ANY}
   * @param completion told exactly once what became of the batch if it was taken, on any thread
   *     (also before this method returns); never told if it was refused
   * @return false if there is no room
   */
  boolean offer(byte[] value, int datagrams, int partition, Completion completion);

  /** Number of partitions of the log, at least 1. */
  default int partitions() {
    return 1;
  }

  /** What became of a batch. */
  interface Completion {
    /**
     * The batch is in the log, and a reader that starts now will see it. The batches of a partition
     * are confirmed in the order of their offsets.
     */
    void logged(int partition, long offset);

    /** The log gave up waiting for an answer; the batch may be in it all the same. */
    void failed(Exception cause);
  }
}
