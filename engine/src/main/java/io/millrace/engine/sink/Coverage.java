package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import java.io.Serializable;
import java.util.List;

/**
 * Determines which rows of a store a checkpoint covers, so that the others can be deleted: by
 * position in the log ({@link LogCoverage}), or, for rows without one, by the checkpoints between
 * which they were made ({@link CheckpointCoverage}), or by event time ({@link EventTimeCoverage}).
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
     * The point to which the store is rewound, before anything is appended; called on one subtask.
     *
     * @throws io.millrace.wire.sink.UnrecoverableException if rows after it cannot be reproduced
     */
    P rewind();

    /** The coverage of the checkpoint whose barrier passes now. */
    P at(long checkpointId);

    /** The coverage as bytes of state. */
    byte[] encode(P covered);
  }

  /**
   * Creates the progress of a subtask at its start.
   *
   * @param parts the states of all subtasks in the restored checkpoint; empty if there is none, or
   *     the sink is new in the job
   * @throws io.millrace.wire.sink.UnrecoverableException if they are of another release
   */
  Progress<B, P> begin(List<byte[]> parts);
}
