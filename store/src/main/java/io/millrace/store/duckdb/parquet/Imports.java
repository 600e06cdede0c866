package io.millrace.store.duckdb.parquet;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LogPartition;
import java.util.Map;

/**
 * The place of imported rows. They keep the offset and index that they had in the log of their
 * origin, and have partitions that no log has: {@code FIRST + slot * SLOT + partition of origin}.
 * So a rewind of this log passes them by, they can be distinguished from rows of this log, and the
 * same row is known when it comes again.
 *
 * <p>What is rolled up of a partition is given by an offset alone. An import whose rows do not all
 * are after what its partitions have goes to the next slot, which is a partition more for each of
 * the origin's; imports in order of time share the first.
 */
public final class Imports {
  static final int FIRST = LogPartition.MAX_EPOCHS * LogPartition.MAX_PARTITIONS;

  static final int SLOT = FIRST;

  private static final int SLOTS = (int) ((1L << 31) / SLOT) - 2;

  private Imports() {}

  static String origin(String partition) {
    return "CASE WHEN %1$s >= %2$d THEN (%1$s - %2$d) %% %3$d ELSE %1$s END"
        .formatted(partition, FIRST, SLOT);
  }

  static int slot(Frontier committed, Map<Integer, Long> least) {
    for (int slot = 0; slot < SLOTS; slot++) {
      int first = FIRST + slot * SLOT;
      if (least.entrySet().stream()
          .allMatch(entry -> entry.getValue() >= committed.next(first + entry.getKey()))) {
        return first;
      }
    }
    throw new IllegalArgumentException(
        "too many imports out of order: import the remaining files in order of time");
  }
}
