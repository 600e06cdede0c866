package io.millrace.store.duckdb.results;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * Rows that take the places of others of the same key: gathered in a temporary table of the
 * writer's connection, and then in one transaction the others are deleted and these inserted.
 *
 * <p>The deletion is a join that reads the keys of those row groups alone in which they can be;
 * there is no index, which would be held in memory and kept up for rows that never change again.
 */
final class KeyedRows {
  private static final String STAGE = "replacing";

  private final String stored;
  private final String delete;
  private final String insert;

  KeyedRows(String table, List<String> key) {
    stored = Catalog.raw(ResultLayout.storedName(table));
    String same =
        key.stream()
            .map(Catalog::quoted)
            .map(column -> "old." + column + " = new." + column)
            .collect(Collectors.joining(" AND "));
    String columns = key.stream().map(Catalog::quoted).collect(Collectors.joining(", "));
    delete = "DELETE FROM " + stored + " old USING temp." + STAGE + " new WHERE " + same;
    insert =
        "INSERT INTO %s SELECT * FROM temp.%s WHERE rowid IN (SELECT max(rowid) FROM temp.%s GROUP BY %s)"
            .formatted(stored, STAGE, STAGE, columns);
  }

  /** Where rows are gathered, within the transaction. */
  DuckDBAppender appender(DuckDBConnection connection) throws SQLException {
    SqlRows.execute(
        connection,
        "CREATE OR REPLACE TEMP TABLE " + STAGE + " AS SELECT * FROM " + stored + " LIMIT 0");
    return connection.createAppender("temp", "main", STAGE);
  }

  /** Puts the gathered rows into the table, within the same transaction. */
  void replace(Statement statement) throws SQLException {
    statement.execute(delete);
    statement.execute(insert);
  }
}
