package io.millrace.store.duckdb.rejected;

import io.millrace.store.ResultTable;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.TableSchema;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.duckdb.DuckDBConnection;

/** A store whose tables reject some values: each has a constraint that other tables lack. */
final class PoisonedStore {
  /** Rows with this number are rejected. */
  static final int POISON = 666;

  /** An append-only table of results. */
  static final String NUMBERS = "numbers";

  /** A table of results whose key is {@code name}. */
  static final String TOTALS = "totals";

  /** A table of results with unique {@code n}. */
  static final String SINGLES = "singles";

  static final TableSchema RESULTS = TableSchema.builder().text("name").number("n").build();

  private PoisonedStore() {}

  /** Opens such a store in an empty directory. */
  static DuckDbStore open(Path directory) throws SQLException {
    StoreConfig config = StoreConfig.defaults();
    try (DuckDbStore plain = new DuckDbStore(directory, config, RollupConfig.NONE)) {
      results(plain, NUMBERS);
      results(plain, TOTALS);
      results(plain, SINGLES);
    }
    try (DuckDBConnection connection =
            (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute("ATTACH '" + directory.resolve(DuckDbStore.FILE_NAME) + "' AS millrace");
      statement.execute("USE millrace");
      for (String table : List.of(NUMBERS, TOTALS)) {
        constrain(statement, Catalog.raw(table + "__results"), "CHECK (n <> %d)".formatted(POISON));
      }
      constrain(statement, Catalog.raw(SINGLES + "__results"), "UNIQUE (n)");
    }
    return new DuckDbStore(directory, config, RollupConfig.NONE);
  }

  /** One of the tables of results. */
  static ResultTable results(Store store, String table) {
    return store.results(table, RESULTS, table.equals(TOTALS) ? List.of("name") : List.of());
  }

  private static void constrain(Statement statement, String table, String constraint)
      throws SQLException {
    String sql =
        SqlRows.strings(
                statement.getConnection().unwrap(DuckDBConnection.class),
                "SELECT sql FROM duckdb_tables() WHERE schema_name || '.' || table_name = '"
                    + table.replace("\"", "").replace("millrace.", "")
                    + "'")
            .get(0);
    String columns = sql.substring(sql.indexOf('('), sql.lastIndexOf(')'));
    statement.execute("CREATE OR REPLACE TABLE " + table + columns + ", " + constraint + ")");
  }
}
