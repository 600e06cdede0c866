package io.millrace.wire.block;

/**
 * The partition number under which rows are stored: the partition of the topic, and the epoch of
 * the log that it belongs to.
 *
 * <p>An epoch ends when the log turns out to have lost values, or to be another log: from then on
 * the same offsets name other values. Rows of the next epoch have partition numbers of their own,
 * so that a row's place (partition, offset, index) stays unique.
 *
 * <pre>
 *   0 … 4,095         epoch 0
 *   4,096 … 8,191     epoch 1
 *   …
 *   … 1,048,575       epoch 255, the last one; numbers above belong to imported rows
 * </pre>
 */
public final class LogPartition {
  /** Partitions of a topic, at most. */
  public static final int MOST_PARTITIONS = 1 << 12;

  /** Epochs of a topic, at most. */
  public static final int MOST_EPOCHS = 1 << 8;

  private LogPartition() {}

  /**
   * The number of a partition in an epoch.
   *
   * @param partition of the topic, below {@link #MOST_PARTITIONS}
   * @param epoch below {@link #MOST_EPOCHS}
   */
  public static int of(int partition, int epoch) {
    return epoch * MOST_PARTITIONS + partition;
  }

  /** The epoch of a partition number; {@link #MOST_EPOCHS} or more for imported rows. */
  public static int epoch(int number) {
    return number / MOST_PARTITIONS;
  }

  /**
   * The partition number of rows of files that {@code millrace import} has decoded. They go down
   * from the greatest number but one, since conditions on rows name the partition after one;
   * exports of other instances go up from the least one of imports.
   *
   * @param lane 0 or more; below {@link #MOST_PARTITIONS}
   */
  public static int ofFiles(int lane) {
    return Integer.MAX_VALUE - 1 - lane;
  }

  /** Whether the rows of a partition number were imported: no log has them. */
  public static boolean isImported(int number) {
    return epoch(number) >= MOST_EPOCHS;
  }

  /**
   * How far a partition of the topic has been read, over all epochs: greater for whatever is read
   * later. For state that belongs to the partition whatever the epoch is.
   *
   * @param number of the partition
   * @param offset of the value that was read last, below 2^48
   */
  public static long version(int number, long offset) {
    return ((long) epoch(number) << 48) + offset + 1;
  }

  /** The partition of the topic. */
  public static int partition(int number) {
    return number % MOST_PARTITIONS;
  }
}
