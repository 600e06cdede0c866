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
  private final List<String> key;
  private final List<String> stored;

  /** Changed under the lock, by rewinds alone. */
  private volatile long ticket;

  /** Closed with the store, or opened anew with other columns. */
  private volatile boolean isClosed;

  /**
   * @param stored names of the stored columns in their order
   */
  DuckDbResultTable(
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
    ticket = Tickets.of(connection, name);
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
  public ResultWriter writer(long mine) {
    check(mine, "a writer");
    try {
      return new DuckDbResultWriter(this, mine, connection.duplicate(), stored);
    } catch (SQLException e) {
      throw failed("write to", e);
    }
  }

  @Override
  public long ticket() {
    return ticket;
  }

  /** Refuses what comes under another ticket than the present one. */
  private void check(long mine, String what) {
    if (isClosed) {
      throw new StoreException(
          "table " + name + " was closed, or opened anew, under its writers", null);
    }
    if (mine != ticket) {
      throw Tickets.refused(name, what, mine, ticket);
    }
  }

  /** Commits a writer's rows; never beside a rewind, which would not see them. */
  synchronized void commit(long mine, Statement statement, boolean hasRefused) throws SQLException {
    if (isClosed || mine != ticket) {
      statement.execute("ROLLBACK");
    }
    check(mine, "rows");
    statement.execute("COMMIT");
    if (hasRefused) {
      RefusedRows.trim(statement, name);
    }
  }

  @Override
  public synchronized long rewind(long next, long checkpoint) {
    if (next <= ticket) {
      throw Tickets.refused(name, "a rewind", next, ticket);
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("BEGIN TRANSACTION");
      try {
        long deleted =
            checkpoint == NO_CHECKPOINT || key.isEmpty() ? delete(statement, checkpoint) : 0;
        RefusedRows.rewind(statement, name, behind(checkpoint));
        Tickets.store(statement, name, next);
        statement.execute("COMMIT");
        ticket = next;
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
    return checkpoint == NO_CHECKPOINT ? "true" : ResultLayout.CHECKPOINT + " >= " + checkpoint;
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
    isClosed = true;
    connection.close();
  }
}
