package io.millrace.store.duckdb.offsets;

import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.duckdb.DuckDBConnection;

/**
 * Frontiers of tables of flows in a database table, with one row for each partition: {@code
 * table_name, log_partition, next_offset}.
 */
public final class StoredFrontier {
  private StoredFrontier() {}

  /** SQL that creates the database table if it is missing. */
  public static String create(String stored) {
    return "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, log_partition INTEGER, next_offset BIGINT)"
        .formatted(stored);
  }

  /** Reads the frontier of a table of flows; empty if none was stored. */
  public static Frontier read(DuckDBConnection connection, String stored, String table)
      throws SQLException {
    Map<Integer, Long> next = new TreeMap<>();
    SqlRows.forEach(
        connection,
        "SELECT log_partition, next_offset FROM %s WHERE table_name = '%s'"
            .formatted(stored, table),
        row -> next.put(row.getInt(1), row.getLong(2)));
    return new Frontier(next);
  }

  /** Replaces the stored frontier in the statement's transaction. */
  public static void store(Statement statement, String stored, String table, Frontier frontier)
      throws SQLException {
    statement.execute("DELETE FROM " + stored + " WHERE table_name = '" + table + "'");
    List<String> places = new ArrayList<>();
    frontier
        .next()
        .forEach(
            (partition, next) -> places.add("('%s', %d, %d)".formatted(table, partition, next)));
    if (!places.isEmpty()) {
      statement.execute("INSERT INTO " + stored + " VALUES " + String.join(", ", places));
    }
  }
}
