package io.millrace.engine.log;

import io.millrace.wire.block.Frontier;
import java.io.Serializable;

/**
 * The {@linkplain io.millrace.wire.block.LogPartition epoch} in which a job reads a topic, and its
 * start. Immutable.
 *
 * @param number of the epoch, from 0
 * @param from first offset of each partition that belongs to the epoch; 0 for partitions not listed
 * @param until first offset of each partition that the log had lost when the epoch began: rows of
 *     the previous epoch from there on cannot be reproduced
 * @param read offset in each partition up to which the job had read the previous epoch and its rows
 *     are reliable
 * @param isRestored whether the job starts from a checkpoint
 * @param firstMicros append time of the first value that the job reads, microseconds since the
 *     epoch; 0 if the job reads everything that was ever in the topic
 */
public record LogEpoch(
    int number, Frontier from, Frontier until, Frontier read, boolean isRestored, long firstMicros)
    implements Serializable {
  /** The first epoch, of a job that starts without a checkpoint. */
  public static final LogEpoch FIRST =
      new LogEpoch(0, Frontier.EMPTY, Frontier.EMPTY, Frontier.EMPTY, false, 0);

  /**
   * Start of a source whose state is not in the checkpoint: the beginning of the epoch if the job
   * restores a checkpoint, otherwise the end of the job's table.
   *
   * @param committed offsets in the table, by partition number
   */
  public Frontier start(Frontier committed) {
    return isRestored ? from : from.union(committed.ofEpoch(number));
  }

  /**
   * The uid of a source. It differs between epochs, so that a source never restores offsets of
   * another epoch.
   *
   * @param uid in the first epoch
   */
  public String uid(String uid) {
    return number == 0 ? uid : uid + "-epoch-" + number;
  }
}
