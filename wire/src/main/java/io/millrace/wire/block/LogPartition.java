package io.millrace.wire.block;

/**
 * Stored partition number of rows: the partition of the topic and the epoch of the log.
 *
 * <p>An epoch ends when the log has lost values or was replaced: from then on the same offsets
 * denote other values. Rows of the next epoch have other partition numbers, so that a row's
 * position (partition, offset, index) stays unique.
 *
 * <pre>
 *   0 … 4,095         epoch 0
 *   4,096 … 8,191     epoch 1
 *   …
 *   … 1,048,575       epoch 255, the last one; numbers above belong to imported rows
 * </pre>
 */
public final class LogPartition {
  /** Maximum number of a topic's partitions. */
  public static final int MAX_PARTITIONS = 1 << 12;

  /** Maximum number of a topic's epochs. */
  public static final int MAX_EPOCHS = 1 << 8;

  private LogPartition() {}

  /**
   * Number of a partition in an epoch.
   *
   * @param partition of the topic, below {@link #MAX_PARTITIONS}
   * @param epoch below {@link #MAX_EPOCHS}
   */
  public static int of(int partition, int epoch) {
    return epoch * MAX_PARTITIONS + partition;
  }

  /** Epoch of a partition number; {@link #MAX_EPOCHS} or more for imported rows. */
  public static int epoch(int number) {
    return number / MAX_PARTITIONS;
  }

  /**
   * Partition number of rows decoded by {@code millrace import}. Numbers descend from the second
   * greatest, since conditions on rows use the next partition number; exports of other instances
   * ascend from the smallest number of imports.
   *
   * @param lane 0 or more; below {@link #MAX_PARTITIONS}
   */
  public static int ofFiles(int lane) {
    return Integer.MAX_VALUE - 1 - lane;
  }

  /** Whether rows of a partition number were imported and are in no log. */
  public static boolean isImported(int number) {
    return epoch(number) >= MAX_EPOCHS;
  }

  /**
   * Read position of a topic's partition across epochs, which increases with each value. Used as
   * the version of state of the partition.
   *
   * @param number of the partition
   * @param offset of the last read value, below 2^48
   */
  public static long version(int number, long offset) {
    return ((long) epoch(number) << 48) + offset + 1;
  }

  /** The partition of the topic. */
  public static int partition(int number) {
    return number % MAX_PARTITIONS;
  }
}
