package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import java.io.Serializable;
import java.util.List;

/**
 * How it is told which rows of a store a checkpoint covers, so that the others can be taken away:
 * by their place in the log ({@link LogCoverage}), or, for rows that have none, by the checkpoints
 * between which they were made ({@link CheckpointCoverage}), or by event time ({@link
 * EventTimeCoverage}).
 *
 * @param <B> the blocks that are stored
 * @param <P> how far a store is covered
 */
public interface Coverage<B extends Block, P> extends Serializable {
  /** What one subtask knows; used by its thread. */
  interface Progress<B, P> {
    /** A block was appended. */
    void appended(B block);

    /** Event time has passed a moment, in microseconds since the epoch. */
    default void passed(long micros) {}

    /**
     * To where the store is rewound, before anything is appended; on one subtask.
     *
     * @throws io.millrace.wire.sink.UnmendableException if what lies behind cannot be made again
     */
    P rewind();

    /** What the checkpoint covers whose barrier passes now. */
    P at(long checkpointId);

    /** The same as bytes of state. */
    byte[] encode(P covered);
  }

  /**
   * The progress of a subtask that begins.
   *
   * @param parts the states of all subtasks in the checkpoint from which the job goes on; empty if
   *     there is none, or the sink is new in the job
   * @throws io.millrace.wire.sink.UnmendableException if they are of another release
   */
  Progress<B, P> begin(List<byte[]> parts);
}
