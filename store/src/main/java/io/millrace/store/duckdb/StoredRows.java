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
 * What one transaction sees of a table of flows and its rollups, in one statement and without
 * reading more than a few row groups.
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
   * @param newest arrival, microseconds, or later
   * @param firstPartition of the log
   * @param lastPartition of the log
   * @param lastOffset greatest offset in any partition of the log, or greater if nobody asked so
   *     far back
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

  /**
   * What is known from elsewhere, so that little has to be looked at.
   *
   * @param newest arrival of a row that is there or was removed as too old; {@link Long#MIN_VALUE}
   *     if none is known
   * @param offset up to where nobody asks which offsets there are, exclusive
   */
  record Hints(long newest, long offset) {
    static final Hints NONE = new Hints(Long.MIN_VALUE, Long.MIN_VALUE);
  }

  /** The version of the rollups of a table. */
  static long version(DuckDBConnection connection, String table) throws SQLException {
    return SqlRows.number(
        connection,
        "SELECT coalesce(max(version), 0) FROM %s WHERE table_name = '%s'"
            .formatted(RollupCatalog.VERSIONS, table));
  }

  /** Arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} if there is none. */
  static long oldest(DuckDBConnection connection, String table) throws SQLException {
    List<String> each = new ArrayList<>();
    for (FlowPart part : FlowPart.values()) {
      each.add(first("epoch_us(time)", Catalog.raw(part.tableName(table)), "time"));
    }
    // The least of none is NULL, and least() skips it.
    return SqlRows.number(
        connection,
        "SELECT coalesce(least(%s), %d)".formatted(String.join(", ", each), Long.MAX_VALUE));
  }

  static StoredRows read(DuckDBConnection connection, String table) throws SQLException {
    return read(connection, table, version(connection, table), Hints.NONE);
  }

  /**
   * The rows that the connection's transaction sees, found by hints that are true of it.
   *
   * @param version of the rollups, as the transaction sees it
   */
  static StoredRows read(DuckDBConnection connection, String table, long version, Hints hints)
      throws SQLException {
    StringBuilder sql = new StringBuilder("SELECT");
    for (FlowPart part : FlowPart.values()) {
      sql.append(part.ordinal() == 0 ? " " : ", ")
          .append(select(Catalog.raw(part.tableName(table)), hints));
    }
    Map<FlowPart, Part> parts = new EnumMap<>(FlowPart.class);
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.toString())) {
      row.next();
      int i = 1;
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
      return new StoredRows(version, parts);
    }
  }

  /**
   * Not {@code min} and {@code max}: where a row was ever deleted these read the whole column. What
   * is sorted or compared is read by row groups that may have it, of which DuckDB keeps the bounds;
   * but who sorts by a column that grows, the greatest first, reads all of them.
   */
  private static String select(String from, Hints hints) {
    String newest =
        hints.newest == Long.MIN_VALUE
            ? first("epoch_us(time)", from, "time DESC")
            : "coalesce((SELECT epoch_us(max(time)) FROM %s WHERE time >= %s), %d)"
                .formatted(from, RollupSql.time(hints.newest), hints.newest);
    String offset =
        hints.offset == Long.MIN_VALUE
            ? first("log_offset", from, "log_offset DESC")
            : "coalesce((SELECT max(log_offset) FROM %s WHERE log_offset >= %d), %d)"
                .formatted(from, hints.offset, hints.offset - 1);
    return String.join(
        ", ",
        "(SELECT count(*) FROM " + from + ")",
        first("epoch_us(time)", from, "time"),
        newest,
        first("log_partition", from, "log_partition"),
        first("log_partition", from, "log_partition DESC"),
        offset);
  }

  private static String first(String value, String from, String order) {
    return "(SELECT %s FROM %s ORDER BY %s LIMIT 1)".formatted(value, from, order);
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
