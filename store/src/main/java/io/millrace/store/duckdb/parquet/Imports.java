package io.millrace.store.duckdb.parquet;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LogPartition;
import java.util.Map;

/**
 * Log positions of imported rows. They keep the offset and index of their original log, and have
 * partitions that no log has: {@code FIRST + slot * SLOT + partition of origin}. So a rewind of
 * this log does not affect them, they differ from rows of this log, and a row that is imported
 * again is recognized.
 *
 * <p>Rollups know the rolled part of a partition by one offset. So an import with rows that are not
 * after all rows of its partitions uses the next slot, which has one more partition for each of the
 * origin's. Imports in order of time share the first slot.
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
