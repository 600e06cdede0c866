package io.millrace.store.duckdb;

import io.millrace.wire.block.Frontier;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.duckdb.DuckDBConnection;

/**
 * What one transaction sees of a table of flows and its rollups, in one statement: DuckDB answers
 * it from the counts and the least and greatest values that it keeps.
 *
 * @param version of the rollups: {@link RollupCatalog#VERSIONS}; 0 before the first change
 * @param parts all of them
 */
record StoredRows(long version, Map<FlowPart, Part> parts) {

  /**
   * The rows of one part.
   *
   * @param rows their number; the other values mean nothing where it is 0
   * @param oldest arrival, microseconds
   * @param newest arrival, microseconds
   * @param firstPartition of the log
   * @param lastPartition of the log
   * @param lastOffset greatest offset in any partition of the log
   */
  record Part(
      long rows,
      long oldest,
      long newest,
      long firstPartition,
      long lastPartition,
      long lastOffset) {

    /** Whether a row may have arrived between two times, the end exclusive. */
    boolean mayHave(long from, long to) {
      return rows > 0 && newest >= from && oldest < to;
    }

    /**
     * Conditions, each true of other rows, together of all that a frontier does not cover; without
     * those that no row here can fulfil. Each can be told of a whole row group by its least and
     * greatest values.
     */
    List<String> unrolled(Frontier rolled) {
      if (rows == 0) {
        return List.of();
      }
      TreeMap<Integer, Long> next = new TreeMap<>(rolled.next());
      if (next.isEmpty()) {
        return List.of("true");
      }
      long least = next.values().stream().mapToLong(Long::longValue).min().orElseThrow();
      StringBuilder behind =
          new StringBuilder("log_offset >= " + least + " AND CASE log_partition");
      List<String> conditions = new ArrayList<>();
      if (firstPartition < next.firstKey()) {
        conditions.add("log_partition < " + next.firstKey());
      }
      int expected = next.firstKey();
      for (Map.Entry<Integer, Long> partition : next.entrySet()) {
        int number = partition.getKey();
        behind.append(" WHEN ").append(number);
        behind.append(" THEN log_offset >= ").append(partition.getValue());
        if (number > expected && firstPartition < number && lastPartition >= expected) {
          conditions.add("log_partition >= " + expected + " AND log_partition < " + number);
        }
        expected = number + 1;
      }
      if (lastOffset >= least) {
        conditions.add(behind + " ELSE false END");
      }
      if (lastPartition >= expected) {
        conditions.add("log_partition >= " + expected);
      }
      return conditions;
    }
  }

  static StoredRows read(DuckDBConnection connection, String table) throws SQLException {
    StringBuilder sql =
        new StringBuilder(
            "SELECT (SELECT coalesce(max(version), 0) FROM %s WHERE table_name = '%s'), * FROM"
                .formatted(RollupCatalog.VERSIONS, table));
    for (FlowPart part : FlowPart.values()) {
      sql.append(part.ordinal() == 0 ? " " : ", ")
          .append("(SELECT count(*), epoch_us(min(time)), epoch_us(max(time)),")
          .append(" min(log_partition), max(log_partition), max(log_offset) FROM ")
          .append(Catalog.raw(part.tableName(table)))
          .append(")");
    }
    Map<FlowPart, Part> parts = new EnumMap<>(FlowPart.class);
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.toString())) {
      row.next();
      int i = 2;
      for (FlowPart part : FlowPart.values()) {
        parts.put(
            part,
            new Part(
                row.getLong(i),
                row.getLong(i + 1),
                row.getLong(i + 2),
                row.getLong(i + 3),
                row.getLong(i + 4),
                row.getLong(i + 5)));
        i += 6;
      }
      return new StoredRows(row.getLong(1), parts);
    }
  }

  /** Arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} if there is none. */
  long oldest() {
    return parts.values().stream()
        .filter(part -> part.rows > 0)
        .mapToLong(Part::oldest)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Arrival of the newest row, microseconds; {@link Long#MIN_VALUE} if there is none. */
  long newest() {
    return parts.values().stream()
        .filter(part -> part.rows > 0)
        .mapToLong(Part::newest)
        .max()
        .orElse(Long.MIN_VALUE);
  }
}
