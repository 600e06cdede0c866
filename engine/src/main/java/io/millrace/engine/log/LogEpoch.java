package io.millrace.engine.log;

import io.millrace.wire.block.Frontier;
import java.io.Serializable;

/**
 * The {@linkplain io.millrace.wire.block.LogPartition epoch} in which a job reads a topic, and
 * where it begins. Immutable.
 *
 * @param number of the epoch, from 0
 * @param from first offset of each partition of the topic that belongs to the epoch; 0 where the
 *     partition is not named
 * @param until first offset of each partition that the log had lost when the epoch began: rows of
 *     the epoch before, from there on, cannot be made again
 * @param isRestored whether the job starts from a checkpoint
 * @param firstMicros when the log took the first value that the job reads, microseconds since the
 *     epoch; 0 if the job reads all that ever was in it
 */
public record LogEpoch(
    int number, Frontier from, Frontier until, boolean isRestored, long firstMicros)
    implements Serializable {
  /** The first epoch, of a job that starts without a checkpoint. */
  public static final LogEpoch FIRST = new LogEpoch(0, Frontier.EMPTY, Frontier.EMPTY, false, 0);

  /**
   * Where a source starts whose state is not in the checkpoint: at the beginning of the epoch, or,
   * without a checkpoint, where the job's table ends.
   *
   * @param committed what the table has of the log, by partition number
   */
  public Frontier start(Frontier committed) {
    return isRestored ? from : from.union(committed.ofEpoch(number));
  }

  /**
   * The uid of a source. It differs in each epoch, so that a source never restores offsets of
   * another one.
   *
   * @param uid in the first epoch
   */
  public String uid(String uid) {
    return number == 0 ? uid : uid + "-epoch-" + number;
  }
}
