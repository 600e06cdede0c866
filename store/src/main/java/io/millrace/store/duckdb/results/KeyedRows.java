package io.millrace.store.duckdb.results;

import io.millrace.store.duckdb.rejected.StagedRows;
import io.millrace.store.duckdb.schema.Catalog;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Replaces rows of the same keys: deletes them and inserts the {@linkplain StagedRows staged} ones,
 * in one transaction.
 *
 * <p>The deletion is a join that reads the keys only of row groups that may have them. An index
 * would take memory and time for rows that never change again.
 */
final class KeyedRows {
  private final String delete;
  private final String insert;

  KeyedRows(String table, List<String> key) {
    String stored = Catalog.raw(ResultLayout.storedName(table));
    String same =
        key.stream()
            .map(Catalog::quoted)
            .map(column -> "old." + column + " = new." + column)
            .collect(Collectors.joining(" AND "));
    String columns = key.stream().map(Catalog::quoted).collect(Collectors.joining(", "));
    delete = "DELETE FROM " + stored + " old USING " + StagedRows.TABLE + " new WHERE " + same;
    insert =
        "INSERT INTO %s SELECT * FROM %s WHERE rowid IN (SELECT max(rowid) FROM %s GROUP BY %s)"
            .formatted(stored, StagedRows.TABLE, StagedRows.TABLE, columns);
  }

  void replace(Statement statement) throws SQLException {
    statement.execute(delete);
    statement.execute(insert);
  }
}
