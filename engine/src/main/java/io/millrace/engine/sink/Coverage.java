package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import java.io.Serializable;
import java.util.List;

/**
 * Determines which rows of a store a checkpoint covers, so that a rewind can delete the others: by
 * position in the log ({@link LogCoverage}), by the checkpoints between which the rows were made
 * ({@link CheckpointCoverage}), or by event time ({@link EventTimeCoverage}).
 *
 * @param <B> the blocks that are stored
 * @param <P> extent to which a store is covered
 */
public interface Coverage<B extends Block, P> extends Serializable {
  /** Progress of one subtask; used by its thread. */
  interface Progress<B, P> {
    /** A block was appended. */
    void appended(B block);

    /** Called when the watermark has passed a moment, in microseconds since the epoch. */
    default void passed(long micros) {}

    /**
     * Returns the point to which one subtask rewinds the store before anything is appended.
     *
     * @throws io.millrace.wire.sink.UnrecoverableException if rows after it cannot be reproduced
     */
    P rewind();

    /** Returns the coverage of a checkpoint; called at its barrier. */
    P at(long checkpointId);

    /** Encodes the coverage as state. */
    byte[] encode(P covered);
  }

  /**
   * Creates the progress of a subtask at its start.
   *
   * @param parts the states of all subtasks in the restored checkpoint; empty if there is none, or
   *     the sink is new in the job
   * @throws io.millrace.wire.sink.UnrecoverableException if another release wrote them
   */
  Progress<B, P> begin(List<byte[]> parts);
}
