package io.millrace.store.duckdb.flows;

import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.ledger.Tallies;
import io.millrace.store.duckdb.schema.Catalog;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.duckdb.DuckDBConnection;

/**
 * The dead letters of the store: rows that it did not take, each with the reason, as text for a
 * person to look at ({@code refused_rows}). They are stored in the transaction of the rows beside
 * them and rewound with them, so a replay that refuses them again tells of each once. The newest
 * {@link #KEPT} of a table are kept; the count of all is in the tallies.
 *
 * <p>An instance has those of one open transaction. Used by one thread.
 */
public final class RefusedRows {
  /** Rows that are kept of each table: some megabytes. */
  static final int KEPT = 10_000;

  private static final String TABLE = Catalog.raw("refused__rows");

  /** Parts of what DuckDB says where the world fails, in lower case. */
  private static final List<String> OF_WORLD =
      List.of("out of memory", "memory limit", "conflict", "closed", "interrupt", "internal error");

  private record Row(int partition, long offset, String reason, String text) {}

  private final String table;
  private final List<Row> rows = new ArrayList<>();
  private final Map<Integer, Map<Long, Integer>> counts = new TreeMap<>();
  private final BitSet ofChunk = new BitSet();
  private int count;

  RefusedRows(String table) {
    this.table = table;
  }

  public static List<String> create() {
    return List.of(
        "CREATE TABLE IF NOT EXISTS "
            + TABLE
            + "(table_name VARCHAR, log_partition INTEGER, log_offset BIGINT, reason VARCHAR,"
            + " \"row\" VARCHAR)",
        "CREATE OR REPLACE VIEW " + Catalog.main("refused_rows") + " AS SELECT * FROM " + TABLE);
  }

  /**
   * Whether a failure may be that of a value in some row, which would fail again each time. All
   * others are of the world (a full disk, a database that was closed, a conflict), and say nothing
   * about rows.
   */
  static boolean isOfValues(SQLException failure) {
    String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
    return !DiskFailures.isOfDisk(failure) && OF_WORLD.stream().noneMatch(message::contains);
  }

  /** Deletes those that a frontier does not cover. */
  static void rewind(Statement statement, String table, String uncovered) throws SQLException {
    statement.execute(
        "DELETE FROM %s WHERE table_name = '%s' AND (%s)".formatted(TABLE, table, uncovered));
  }

  /** Notes a row of a chunk. */
  void add(FlowChunk chunk, int row, SQLException reason) {
    ofChunk.set(row);
    count++;
    counts
        .computeIfAbsent(chunk.partition(row), none -> new TreeMap<>())
        .merge(chunk.offset(row), 1, Integer::sum);
    if (rows.size() < KEPT) {
      String text = reason.getMessage().strip();
      String first = text.substring(0, text.indexOf('\n') < 0 ? text.length() : text.indexOf('\n'));
      rows.add(new Row(chunk.partition(row), chunk.offset(row), first, chunk.text(row)));
    }
  }

  /** Copies all rows of a chunk but those that were noted of it since the last call. */
  FlowChunk without(FlowChunk chunk, FlowChunk into) {
    for (int from = ofChunk.nextClearBit(0); from < chunk.rows(); ) {
      int next = ofChunk.nextSetBit(from);
      int to = next < 0 ? chunk.rows() : Math.min(next, chunk.rows());
      into.copy(chunk, from, to);
      from = ofChunk.nextClearBit(to);
    }
    ofChunk.clear();
    return into;
  }

  /** How many were noted. */
  int rows() {
    return count;
  }

  /** Stores them and their counts in the connection's transaction. */
  void store(DuckDBConnection connection) throws SQLException {
    if (count == 0) {
      return;
    }
    List<Tallies.Sums> sums = new ArrayList<>();
    counts.forEach(
        (partition, offsets) ->
            offsets.forEach(
                (offset, refused) -> sums.add(Tallies.Sums.ofRefused(partition, offset, refused))));
    Tallies.store(connection, table, sums);
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO " + TABLE + " VALUES (?, ?, ?, ?, ?)")) {
      for (Row row : rows) {
        insert.setString(1, table);
        insert.setInt(2, row.partition);
        insert.setLong(3, row.offset);
        insert.setString(4, row.reason);
        insert.setString(5, row.text);
        insert.addBatch();
      }
      insert.executeBatch();
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "DELETE FROM %1$s WHERE table_name = '%2$s' AND rowid < (SELECT min(rowid) FROM (SELECT rowid FROM %1$s WHERE table_name = '%2$s' ORDER BY rowid DESC LIMIT %3$d))"
              .formatted(TABLE, table, KEPT));
    }
  }

  /** Forgets them: they are committed. */
  void clear() {
    rows.clear();
    counts.clear();
    count = 0;
  }
}
