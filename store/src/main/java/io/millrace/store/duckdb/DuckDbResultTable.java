package io.millrace.store.duckdb;

import io.millrace.store.ResultTable;
import io.millrace.store.ResultWriter;
import io.millrace.store.StoreException;
import io.millrace.wire.block.TableSchema;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.duckdb.DuckDBConnection;

/** One table of results; its own connection is for rewinding. */
final class DuckDbResultTable implements ResultTable {
  private final DuckDBConnection connection;
  private final String name;
  private final TableSchema schema;
  private final List<String> stored;

  /**
   * @param stored names of the stored columns in their order
   */
  DuckDbResultTable(
      DuckDBConnection connection, String name, TableSchema schema, List<String> stored) {
    this.connection = connection;
    this.name = name;
    this.schema = schema;
    this.stored = stored;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public TableSchema schema() {
    return schema;
  }

  @Override
  public ResultWriter writer() {
    try {
      return new DuckDbResultWriter(connection.duplicate(), name, schema, stored);
    } catch (SQLException e) {
      throw failed("write to", e);
    }
  }

  @Override
  public synchronized long rewind(long checkpoint) {
    try (Statement statement = connection.createStatement()) {
      return statement.executeLargeUpdate(
          "DELETE FROM "
              + Catalog.raw(ResultLayout.storedName(name))
              + (checkpoint == NO_CHECKPOINT
                  ? ""
                  : " WHERE " + ResultLayout.CHECKPOINT + " >= " + checkpoint));
    } catch (SQLException e) {
      throw failed("rewind", e);
    }
  }

  @Override
  public synchronized long rows() {
    try {
      return SqlRows.number(
          connection, "SELECT count(*) FROM " + Catalog.raw(ResultLayout.storedName(name)));
    } catch (SQLException e) {
      throw failed("count", e);
    }
  }

  private StoreException failed(String what, SQLException e) {
    return new StoreException("cannot " + what + " table " + name + ": " + e.getMessage(), e);
  }

  synchronized void close() throws SQLException {
    connection.close();
  }
}
