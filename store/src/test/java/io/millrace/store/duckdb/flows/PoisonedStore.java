package io.millrace.store.duckdb.flows;

import io.millrace.store.Flows;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.ledger.Tallies;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.duckdb.DuckDBConnection;

/** A store whose tables refuse some values: each has a constraint that no table of ours has. */
final class PoisonedStore {
  /** Rows with this port are refused. */
  static final int POISON = 666;

  private PoisonedStore() {}

  /** Opens such a store in a directory that has none yet. */
  static DuckDbStore open(Path directory, StoreConfig config) throws SQLException {
    try (DuckDbStore plain = new DuckDbStore(directory, config)) {
      plain.table(Store.FLOWS, Flows.SCHEMA);
    }
    try (DuckDBConnection connection =
            (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute("ATTACH '" + directory.resolve(DuckDbStore.FILE_NAME) + "' AS millrace");
      statement.execute("USE millrace");
      for (FlowPart part : FlowPart.values()) {
        String table = part.tableName(Store.FLOWS);
        constrain(statement, Catalog.raw(table), "dst_port <> " + POISON);
      }
      constrain(statement, Tallies.TABLE, "part IS NULL OR part <> " + POISON);
    }
    return new DuckDbStore(directory, config);
  }

  private static void constrain(Statement statement, String table, String check)
      throws SQLException {
    String sql =
        SqlRows.strings(
                statement.getConnection().unwrap(DuckDBConnection.class),
                "SELECT sql FROM duckdb_tables() WHERE schema_name || '.' || table_name = '"
                    + table.replace("\"", "").replace("millrace.", "")
                    + "'")
            .get(0);
    String columns = sql.substring(sql.indexOf('('), sql.lastIndexOf(')'));
    statement.execute("CREATE OR REPLACE TABLE " + table + columns + ", CHECK (" + check + "))");
  }

  /** Makes some rows of a block such that they are refused. */
  static FlowBlock poison(FlowBlock block, int... rows) {
    for (int row : rows) {
      block.ints(FlowColumn.DST_PORT)[row] = POISON;
    }
    return block;
  }
}
