package io.millrace.store.iceberg;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowWriter;
import io.millrace.store.ImportedRows;
import io.millrace.store.RetentionConfig;
import io.millrace.store.StoreException;
import io.millrace.store.StoredCounters;
import io.millrace.store.StoredRetention;
import io.millrace.store.duckdb.flows.StoredFlows;
import io.millrace.store.duckdb.ledger.CounterJoins;
import io.millrace.store.duckdb.ledger.CounterTables;
import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.offsets.StoredFrontier;
import io.millrace.store.duckdb.offsets.UncoveredRows;
import io.millrace.store.duckdb.rollup.TableRollups;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.store.duckdb.snapshot.RowChanges;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LedgerQuota;
import io.millrace.wire.block.LogPartition;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.duckdb.DuckDBConnection;

/**
 * A table of flows whose rows are in an {@link IcebergFlowTable}, and whose counters, texts and
 * rollups are in the database. These are written with each seal, so that after a failure the
 * database has at least what a snapshot has; a rewind takes away what goes beyond.
 */
public final class IcebergFlows implements StoredFlows {
  private static final long COUNTERS_NANOS = 500_000_000;

  private final IcebergFlowTable table;
  private final NameDictionary names;
  private final TableRollups rollups;
  private final RowChanges changes;
  private final Supplier<LedgerQuota> quota;
  private final CounterJoins joins;
  private final LongSupplier clockMicros;
  private final Runnable sync;
  private final DuckDBConnection connection; // guarded by this
  private final DuckDBConnection reading; // guarded by itself
  private long lastCheckpoint; // guarded by this

  /**
   * A table that has been opened.
   *
   * @param clockMicros microseconds since the epoch, by which exporters were silent for long
   * @param sync as {@link io.millrace.wire.sink.BlockSink#sync}, of the database
   */
  public IcebergFlows(
      IcebergFlowTable table,
      DuckDBConnection connection,
      NameDictionary names,
      TableRollups rollups,
      RowChanges changes,
      Supplier<LedgerQuota> quota,
      LongSupplier clockMicros,
      Runnable sync)
      throws SQLException {
    this.table = table;
    this.connection = Connections.another(connection);
    reading = Connections.another(connection);
    this.names = names;
    this.rollups = rollups;
    this.changes = changes;
    this.quota = quota;
    this.clockMicros = clockMicros;
    this.sync = sync;
    joins = new CounterJoins(table.name(), quota);
  }

  /** Stores in the database what the newest snapshot covers, for views and rollups. */
  public static Frontier storeFrontier(DuckDBConnection connection, IcebergFlowTable table)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      StoredFrontier.store(statement, StoredFrontier.COMMITTED, table.name(), table.committed());
    }
    return table.committed();
  }

  @Override
  public String name() {
    return table.name();
  }

  @Override
  public FlowSchema schema() {
    return table.schema();
  }

  @Override
  public long token() {
    return table.token();
  }

  @Override
  public FlowWriter sink(Duration longestWait) {
    return new Writer();
  }

  @Override
  public RowsView show(DuckDBConnection queries) throws SQLException {
    names.flush();
    return table.show(queries);
  }

  /** One subtask's way into the table; keeps the counters of its own blocks. */
  private final class Writer implements FlowWriter {
    private final IcebergFlowSink sink = table.sink();
    private final CounterTables counters = new CounterTables(quota.get());
    private long countersAt = System.nanoTime();

    @Override
    public void rewind(long next, Frontier covered) {
      var unused = IcebergFlows.this.rewind(next, covered);
    }

    @Override
    public void begin(long mine, long checkpoint) {
      sink.begin(mine, checkpoint);
    }

    @Override
    public void append(FlowBlock block) {
      if (block.names().size() > 0) {
        names.add(block.names());
      }
      if (!table.isKnown(block.logPartition(), block.logOffset())) {
        counters.add(block);
        if (System.nanoTime() - countersAt > COUNTERS_NANOS) {
          storeCounters();
        }
      }
      sink.append(block);
    }

    private void storeCounters() {
      countersAt = System.nanoTime();
      List<CounterTables.Sums> sums = counters.take();
      if (!sums.isEmpty()) {
        transact("count datagrams of", statement -> CounterTables.store(connection, name(), sums));
      }
    }

    @Override
    public void flush() {
      sink.flush();
      storeCounters();
    }

    @Override
    public void seal(long checkpoint, Frontier covered) {
      storeCounters();
      flushNames();
      sink.seal(checkpoint, covered);
    }

    @Override
    public void sync() {
      sync.run();
      sink.sync();
    }

    @Override
    public void commit(long checkpoint, Frontier covered) {
      sink.commit(checkpoint, covered);
      stored(checkpoint);
    }

    @Override
    public long pendingRows() {
      return 0;
    }

    @Override
    public void close() {
      sink.close();
    }
  }

  private void flushNames() {
    try {
      names.flush();
    } catch (SQLException e) {
      throw failed("store texts of", e);
    }
  }

  /** Keeps what a commit covers in the database. */
  private synchronized void stored(long checkpoint) {
    boolean isNew = checkpoint > lastCheckpoint;
    transact(
        "note a checkpoint of",
        statement -> {
          Frontier before = StoredFrontier.committed(connection, name());
          StoredFrontier.store(
              statement, StoredFrontier.COMMITTED, name(), before.union(table.committed()));
          if (isNew) {
            joins.join(
                statement, UncoveredRows.covers(before, "log_offset"), clockMicros.getAsLong());
          }
        });
    lastCheckpoint = Math.max(lastCheckpoint, checkpoint);
    rollups.committed(table.committed());
  }

  @Override
  public synchronized long rewind(long next, Frontier covered) {
    long forgotten = table.rewind(next, covered);
    afterRewind();
    return forgotten;
  }

  private void afterRewind() {
    Frontier reached = table.committed();
    changes.arrivals(name()).unknown();
    transact(
        "rewind",
        statement -> {
          StoredFrontier.store(statement, StoredFrontier.COMMITTED, name(), reached);
          CounterTables.rewind(
              statement,
              name(),
              "NOT (" + UncoveredRows.covers(reached, CounterTables.LAST_OFFSET) + ")");
        });
    lastCheckpoint = 0;
    rollups.committed(reached);
  }

  @Override
  public synchronized void beginEpoch(Frontier from, Frontier until, Frontier begin) {
    table.beginEpoch(from, until, begin);
    afterRewind();
  }

  @Override
  public void committed(long mine, long checkpoint, Frontier covered) {
    table.check(mine, "a checkpoint");
    flushNames();
    table.sealAll(checkpoint, covered);
    table.commit(mine, checkpoint, covered);
    stored(checkpoint);
  }

  @Override
  public void committed(Frontier frontier) {
    long next;
    synchronized (this) {
      next = lastCheckpoint + 1;
    }
    committed(token(), next, frontier);
  }

  @Override
  public Frontier committed() {
    return table.committed().only(partition -> !LogPartition.isImported(partition));
  }

  @Override
  public Frontier imported() {
    return table.committed().only(LogPartition::isImported);
  }

  @Override
  public Frontier stored() {
    return committed().union(table.sealed());
  }

  @Override
  public long newestMicros() {
    return table.newestAppended();
  }

  @Override
  public long newest() {
    return table.newest();
  }

  @Override
  public long oldest() {
    return table.oldest();
  }

  @Override
  public long rows() {
    return table.rows();
  }

  @Override
  public long fileBytes() {
    return table.bytes();
  }

  @Override
  public StoredRetention retention() {
    return table.removed();
  }

  @Override
  public synchronized long remove(long beforeMicros) {
    Frontier reached = table.committed();
    try {
      if (!new LogRange(rollups.rolled(connection, reached), reached).isEmpty()) {
        return 0; // the newest files may have rows of any time
      }
    } catch (SQLException e) {
      throw failed("remove old rows of", e);
    }
    return table.remove(beforeMicros);
  }

  @Override
  public ImportedRows add(Path file, RetentionConfig retention, Cancellation cancellation) {
    throw new IllegalArgumentException(
        "rows cannot be imported into Iceberg tables yet: set store.tables to duckdb");
  }

  @Override
  public StoredCounters counters() {
    try {
      synchronized (reading) {
        return CounterTables.read(reading, changes.memory(), name());
      }
    } catch (SQLException e) {
      throw failed("read the counters of", e);
    }
  }

  private interface Work {
    void with(Statement statement) throws SQLException;
  }

  private synchronized void transact(String what, Work work) {
    try (Statement statement = connection.createStatement()) {
      statement.execute("BEGIN");
      try {
        work.with(statement);
        changes.memory().during(() -> statement.execute("COMMIT"));
      } catch (SQLException | RuntimeException e) {
        SqlRows.rollBack(connection, changes.memory());
        throw e;
      }
    } catch (SQLException e) {
      throw failed(what, e);
    }
  }

  private StoreException failed(String what, SQLException e) {
    return new StoreException("cannot " + what + " table " + name() + ": " + e.getMessage(), e);
  }

  @Override
  public synchronized void close() throws SQLException {
    table.close();
    synchronized (reading) {
      reading.close();
    }
    connection.close();
  }
}
