package io.millrace.store.duckdb.results;

import io.millrace.store.ResultTable;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.offsets.CommitMark;
import io.millrace.store.duckdb.offsets.FencingTokens;
import io.millrace.store.duckdb.rejected.RejectedRows;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.duckdb.DuckDBConnection;

/** A table of results; its own connection is for rewinds. */
public final class DuckDbResultTable implements ResultTable {
  private static final int MAX_WRITERS = 1 << 16;

  private static final long PATIENCE_MILLIS = 500;

  private final DuckDBConnection connection;
  private final CommitMark rewinds; // guarded by this
  private final CommitMemory memory;
  private final String name;
  private final TableSchema schema;
  private final List<String> key;
  private final List<String> stored;
  private final Runnable sync;

  /**
   * A permit for each transaction that replaces rows. A transaction that removes rows takes all
   * permits, since replaced rows must not disappear meanwhile.
   */
  private final Semaphore replacing = new Semaphore(MAX_WRITERS, true);

  private volatile long token;

  private volatile boolean isClosed;

  /**
   * @param stored names of the stored columns, in order
   * @param sync see {@link BlockSink#sync}
   */
  public DuckDbResultTable(
      DuckDBConnection connection,
      CommitMemory memory,
      String name,
      TableSchema schema,
      List<String> key,
      List<String> stored,
      Runnable sync)
      throws SQLException {
    this.connection = connection;
    rewinds = new CommitMark(connection);
    this.memory = memory;
    this.name = name;
    this.schema = schema;
    this.key = List.copyOf(key);
    this.stored = stored;
    this.sync = sync;
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
  public BlockSink<TableBlock, Long> sink() {
    try {
      return new DuckDbResultWriter(this, Connections.another(connection), stored, sync);
    } catch (SQLException e) {
      throw failed("write to", e);
    }
  }

  @Override
  public long token() {
    return token;
  }

  void check(long mine, String what) {
    if (isClosed) {
      throw new StoreException(
          "table " + name + " was closed or reopened while writers used it", null);
    }
    if (mine != token) {
      throw FencingTokens.rejected(name, what, mine, token);
    }
  }

  String stored() {
    return Catalog.raw(ResultLayout.storedName(name));
  }

  /** Column by whose times rows expire, quoted; null if there is none. */
  String timeColumn() {
    return schema.columns().stream()
        .filter(column -> column.type() == TableSchema.Type.TIME)
        .map(column -> Catalog.quoted(column.name()))
        .findFirst()
        .orElse(null);
  }

  CommitMemory memory() {
    return memory;
  }

  void beginReplacing() {
    replacing.acquireUninterruptibly();
  }

  void endReplacing() {
    replacing.release();
  }

  long remove(String condition) throws SQLException {
    try {
      if (!replacing.tryAcquire(MAX_WRITERS, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
        return 0;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
    try {
      return removeNow(condition);
    } finally {
      replacing.release(MAX_WRITERS);
    }
  }

  private synchronized long removeNow(String condition) throws SQLException {
    if (isClosed) {
      return 0;
    }
    try (Statement statement = connection.createStatement()) {
      return memory.supply(
          () -> statement.executeLargeUpdate("DELETE FROM " + stored() + " WHERE " + condition));
    }
  }

  synchronized void commit(long mine, CommitMark mark, Statement statement, boolean hasRejected)
      throws SQLException {
    if (isClosed || mine != token) {
      statement.execute("ROLLBACK");
    }
    check(mine, "rows");
    mark.commit(() -> memory.during(() -> statement.execute("COMMIT")));
    if (hasRejected) {
      memory.during(() -> RejectedRows.trim(statement, name));
    }
  }

  @Override
  public synchronized long rewind(long next, Long checkpoint) {
    if (next <= token) {
      throw FencingTokens.rejected(name, "a rewind", next, token);
    }
    try {
      long deleted = rewinds.transaction(memory, () -> rewindOnce(next, checkpoint));
      token = next;
      return deleted;
    } catch (SQLException e) {
      throw failed("rewind", e);
    }
  }

  private long rewindOnce(long next, long checkpoint) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean isAll = checkpoint <= NO_CHECKPOINT || key.isEmpty();
      long rows = isAll ? delete(statement, checkpoint) : 0;
      if (checkpoint < NO_CHECKPOINT) {
        keep(statement);
      } else {
        RejectedRows.rewind(statement, name, after(checkpoint));
      }
      FencingTokens.store(statement, name, next);
      return rows;
    }
  }

  private long delete(Statement statement, long from) throws SQLException {
    return statement.executeLargeUpdate("DELETE FROM " + stored() + " WHERE " + after(from));
  }

  private String after(long checkpoint) {
    if (checkpoint < NO_CHECKPOINT) {
      String time = timeColumn();
      return time == null ? "false" : time + " >= " + SqlTime.timestamp(-checkpoint);
    }
    return checkpoint == NO_CHECKPOINT ? "true" : Catalog.CHECKPOINT + " >= " + checkpoint;
  }

  private void keep(Statement statement) throws SQLException {
    statement.execute(
        "UPDATE %1$s SET %2$s = 0 WHERE %2$s > 0".formatted(stored(), Catalog.CHECKPOINT));
    RejectedRows.keep(statement, name);
  }

  @Override
  public synchronized long rows() {
    try {
      return SqlRows.number(connection, "SELECT count(*) FROM " + stored());
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
