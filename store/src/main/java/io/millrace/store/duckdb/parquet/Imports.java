package io.millrace.store.duckdb.parquet;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LogPartition;
import java.util.Map;

/**
 * The place of imported rows. They keep the offset and index that they had in the log of their
 * origin, and stand in partitions that no log has: {@code FIRST + slot * SLOT + partition of
 * origin}. So a rewind of this log passes them by, they can be told from rows of this log, and the
 * same row is known when it comes again.
 *
 * <p>What is rolled up of a partition is told by an offset alone. An import whose rows do not all
 * lie behind what its partitions have goes to the next slot, which is a partition more for each of
 * the origin's; imports in order of time share the first.
 */
public final class Imports {
  /** Greater than any partition number of a log, in any epoch. */
  static final int FIRST = LogPartition.MOST_EPOCHS * LogPartition.MOST_PARTITIONS;

  /** Partition numbers of a log of origin, at most. */
  static final int SLOT = FIRST;

  /** The last one has {@link LogPartition#ofFiles}. */
  private static final int SLOTS = (int) ((1L << 31) / SLOT) - 2;

  private Imports() {}

  /** SQL for the partition of origin of a row, given SQL for its partition here. */
  static String origin(String partition) {
    return "CASE WHEN %1$s >= %2$d THEN (%1$s - %2$d) %% %3$d ELSE %1$s END"
        .formatted(partition, FIRST, SLOT);
  }

  /**
   * The first partition of the slot for rows.
   *
   * @param committed what the table has
   * @param least least offset of the rows by partition of origin
   */
  static int slot(Frontier committed, Map<Integer, Long> least) {
    for (int slot = 0; slot < SLOTS; slot++) {
      int first = FIRST + slot * SLOT;
      if (least.entrySet().stream()
          .allMatch(entry -> entry.getValue() >= committed.next(first + entry.getKey()))) {
        return first;
      }
    }
    throw new IllegalArgumentException("too many imports that are out of order: import in order");
  }
}
