package io.millrace.store.duckdb.results;

import io.millrace.store.ResultTable;
import io.millrace.store.StoreException;
import io.millrace.store.TableWriter;
import io.millrace.store.duckdb.offsets.FencingTokens;
import io.millrace.store.duckdb.refused.RefusedRows;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.duckdb.DuckDBConnection;

/** One table of results; its own connection is for rewinding. */
public final class DuckDbResultTable implements ResultTable {
  private final DuckDBConnection connection;
  private final String name;
  private final TableSchema schema;
  private final List<String> key;
  private final List<String> stored;

  /** Changed under the lock, by rewinds alone. */
  private volatile long token;

  /** Closed with the store, or opened anew with other columns. */
  private volatile boolean isClosed;

  /**
   * @param stored names of the stored columns in their order
   */
  public DuckDbResultTable(
      DuckDBConnection connection,
      String name,
      TableSchema schema,
      List<String> key,
      List<String> stored)
      throws SQLException {
    this.connection = connection;
    this.name = name;
    this.schema = schema;
    this.key = List.copyOf(key);
    this.stored = stored;
    token = FencingTokens.of(connection, name);
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
  public List<String> key() {
    return key;
  }

  @Override
  public TableWriter<TableBlock> writer(long mine) {
    check(mine, "a writer");
    try {
      return new DuckDbResultWriter(this, mine, connection.duplicate(), stored);
    } catch (SQLException e) {
      throw failed("write to", e);
    }
  }

  @Override
  public long token() {
    return token;
  }

  /** Refuses what comes under another fencing token than the present one. */
  private void check(long mine, String what) {
    if (isClosed) {
      throw new StoreException(
          "table " + name + " was closed, or opened anew, under its writers", null);
    }
    if (mine != token) {
      throw FencingTokens.refused(name, what, mine, token);
    }
  }

  /** Commits a writer's rows; never beside a rewind, which would not see them. */
  synchronized void commit(long mine, Statement statement, boolean hasRefused) throws SQLException {
    if (isClosed || mine != token) {
      statement.execute("ROLLBACK");
    }
    check(mine, "rows");
    statement.execute("COMMIT");
    if (hasRefused) {
      RefusedRows.trim(statement, name);
    }
  }

  @Override
  public synchronized long rewind(long next, Long checkpoint) {
    if (next <= token) {
      throw FencingTokens.refused(name, "a rewind", next, token);
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("BEGIN TRANSACTION");
      try {
        long deleted =
            checkpoint == NO_CHECKPOINT || key.isEmpty() ? delete(statement, checkpoint) : 0;
        RefusedRows.rewind(statement, name, behind(checkpoint));
        FencingTokens.store(statement, name, next);
        statement.execute("COMMIT");
        token = next;
        return deleted;
      } catch (SQLException e) {
        try (Statement anew = connection.createStatement()) { // the driver has closed the other one
          anew.execute("ROLLBACK");
        }
        throw e;
      }
    } catch (SQLException e) {
      throw failed("rewind", e);
    }
  }

  private long delete(Statement statement, long from) throws SQLException {
    return statement.executeLargeUpdate(
        "DELETE FROM " + Catalog.raw(ResultLayout.storedName(name)) + " WHERE " + behind(from));
  }

  private static String behind(long checkpoint) {
    return checkpoint == NO_CHECKPOINT ? "true" : Catalog.CHECKPOINT + " >= " + checkpoint;
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

  public synchronized void close() throws SQLException {
    isClosed = true;
    connection.close();
  }
}
