package io.millrace.server.collect;

/**
 * Destination of finished batches: the log, as seen by a collector.
 *
 * <p>Called by one thread, the collector's reader, some thousand times a second.
 */
@FunctionalInterface
public interface BatchLog {
  /** Any partition of the log. */
  int ANY = -1;

  /**
   * Enqueues or rejects a batch; never blocks, and never throws because the buffer is full.
   *
   * @param value bytes of a {@link io.millrace.wire.block.RawBatch}, owned by the log from now on
   * @param datagrams in the batch, at least 1
   * @param partition of the log, or {@link #ANY}
   * @param completion called exactly once if the batch was enqueued, on any thread and possibly
   *     before this method returns; never if it was rejected
   * @return false if the buffer is full
   */
  boolean offer(byte[] value, int datagrams, int partition, Completion completion);

  /** Number of partitions of the log, at least 1. */
  default int partitions() {
    return 1;
  }

  /** Receives the outcome of a batch. */
  interface Completion {
    /**
     * The batch is in the log, visible to a reader that starts now. Called in the order of the
     * offsets of a partition.
     */
    void logged(int partition, long offset);

    /** The log timed out; the batch may be in it nevertheless. */
    void failed(Exception cause);
  }
}
