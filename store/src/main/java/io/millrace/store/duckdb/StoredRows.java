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
 * What one transaction sees of a table of flows and its rollups, in one statement.
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
      each.add(value("epoch_us(min(time))", Catalog.raw(part.tableName(table))));
    }
    // The least of none is NULL, and least() skips it.
    return SqlRows.number(
        connection,
        "SELECT coalesce(least(%s), %d)".formatted(String.join(", ", each), Long.MAX_VALUE));
  }

  /**
   * Arrival of the newest row, microseconds; {@link Long#MIN_VALUE} if there is none.
   *
   * @param known arrival of some row that there is or was, or {@link Long#MIN_VALUE}
   */
  static long newest(DuckDBConnection connection, String table, long known) throws SQLException {
    List<String> each = new ArrayList<>();
    for (FlowPart part : FlowPart.values()) {
      each.add(newest(Catalog.raw(part.tableName(table)), known));
    }
    return SqlRows.number(
        connection,
        "SELECT coalesce(greatest(%s), %s)"
            .formatted(String.join(", ", each), RollupTables.micros(Long.MIN_VALUE)));
  }

  private static String newest(String from, long known) {
    return known == Long.MIN_VALUE
        ? value("epoch_us(max(time))", from)
        : "coalesce((SELECT epoch_us(max(time)) FROM %s WHERE time >= %s), %d)"
            .formatted(from, RollupSql.time(known), known);
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
   * DuckDB knows the least and the greatest value of a column until a row is deleted; from then on
   * it reads the column. A condition keeps it to the row groups that may fulfil it, hence the
   * hints.
   */
  private static String select(String from, Hints hints) {
    String offset =
        hints.offset == Long.MIN_VALUE
            ? value("max(log_offset)", from)
            : "coalesce((SELECT max(log_offset) FROM %s WHERE log_offset >= %d), %d)"
                .formatted(from, hints.offset, hints.offset - 1);
    return String.join(
        ", ",
        "(SELECT count(*) FROM " + from + ")",
        value("epoch_us(min(time))", from),
        newest(from, hints.newest),
        value("min(log_partition)", from),
        value("max(log_partition)", from),
        offset);
  }

  private static String value(String aggregate, String from) {
    return "(SELECT %s FROM %s)".formatted(aggregate, from);
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
