package io.millrace.store.duckdb.sql;

import io.millrace.pulse.HostMemory;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What DuckDB keeps in memory of the rows that this process has stored. It describes each column of
 * each row group that it has written (segments, statistics, pointers to blocks), outside its {@code
 * memory_limit}, and gives that back when the row group is removed or the file is closed, and not
 * before (2.0.0.1; duckdb/duckdb pull request 22255 says so too). Thread-safe.
 */
public final class RowGroupMemory {
  private static final int COLUMN_BYTES = 4_096;

  private static final long MIN_MOST_BYTES = Math.min(384L << 20, HostMemory.bytes() / 8);

  private final Map<String, WrittenRows> tables = new ConcurrentHashMap<>();

  private record WrittenRows(long rows, double columns) {
    WrittenRows plus(WrittenRows more) {
      return new WrittenRows(rows + more.rows, columns + more.columns);
    }

    long bytes(long stored) {
      return (long) (Math.min(1.0, (double) stored / rows) * columns * COLUMN_BYTES);
    }
  }

  /** Rows that a stored table has now. */
  @FunctionalInterface
  public interface RowCount {
    long of(String table) throws SQLException;
  }

  /**
   * Bytes that row groups may take before the file should be closed and opened anew.
   *
   * @param memoryBytes of the database
   */
  public static long mostBytes(long memoryBytes) {
    return Math.max(MIN_MOST_BYTES, memoryBytes / 8 * 3);
  }

  /**
   * Rows were committed to a stored table.
   *
   * @param rowGroups that they fill, which need not be a whole number
   * @param columns of the table
   */
  public void wrote(String table, long rows, double rowGroups, int columns) {
    if (rows > 0) {
      tables.merge(table, new WrittenRows(rows, rowGroups * columns), WrittenRows::plus);
    }
  }

  /** Bytes of the row groups that were written since the file was opened. */
  public long writtenBytes() {
    return tables.values().stream().mapToLong(written -> written.bytes(written.rows())).sum();
  }

  /** Bytes of those that are still there. */
  public long bytes(RowCount stored) throws SQLException {
    long bytes = 0;
    for (Map.Entry<String, WrittenRows> one : tables.entrySet()) {
      bytes += one.getValue().bytes(stored.of(one.getKey()));
    }
    return bytes;
  }
}
