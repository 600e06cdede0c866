package io.millrace.store.duckdb.flows;

import io.millrace.store.Cancellation;
import io.millrace.store.FencedException;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowWriter;
import io.millrace.store.ImportedRows;
import io.millrace.store.RetentionConfig;
import io.millrace.store.StoreException;
import io.millrace.store.StoredCounters;
import io.millrace.store.StoredRetention;
import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.disk.DiskSpace;
import io.millrace.store.duckdb.ledger.CounterJoins;
import io.millrace.store.duckdb.ledger.CounterTables;
import io.millrace.store.duckdb.offsets.FencingTokens;
import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.offsets.RemovedRows;
import io.millrace.store.duckdb.offsets.StoredFrontier;
import io.millrace.store.duckdb.offsets.UncoveredRows;
import io.millrace.store.duckdb.parquet.ParquetImport;
import io.millrace.store.duckdb.refused.RefusedRows;
import io.millrace.store.duckdb.rollup.TableRollups;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.store.duckdb.snapshot.RowChanges;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.snapshot.StoredRows;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.MemoryShortage;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LedgerQuota;
import io.millrace.wire.block.LogPartition;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.duckdb.DuckDBConnection;

/** One table of flows; its own connection is for rewinding and frontiers, one at a time. */
public final class DuckDbFlowTable implements StoredFlows {
  private final DuckDBConnection connection;

  private final DuckDBConnection reading;

  private final String name;
  private final Map<FlowPart, FlowLayout> layouts;
  private final NameDictionary names;
  private final TableRollups rollups;
  private final Supplier<LedgerQuota> quota;
  private final CounterJoins counters;
  private final DiskSpace space;
  private final RowChanges changes;
  private final LongSupplier clockMicros;
  private final FlowImports imports;
  private final Runnable sync;
  private FlowCommitters committers;

  private volatile long token;

  /** Greatest id that was reported since the last rewind. Guarded by this. */
  private long lastCheckpoint;

  private volatile RemovedRows removed;

  private volatile long newestBefore;

  /** Time of the row that was the oldest when it was looked for. Guarded by this. */
  private long oldestBefore;

  private final LongAccumulator newest = new LongAccumulator(Math::max, Long.MIN_VALUE);

  /**
   * @param clockMicros microseconds since the epoch, by which exporters were silent for long
   * @param sync as {@link io.millrace.wire.sink.BlockSink#sync}
   */
  public DuckDbFlowTable(
      DuckDBConnection connection,
      String name,
      Map<FlowPart, FlowLayout> layouts,
      NameDictionary names,
      TableRollups rollups,
      DiskSpace space,
      RowChanges changes,
      Supplier<LedgerQuota> quota,
      LongSupplier clockMicros,
      Runnable sync)
      throws SQLException {
    this.clockMicros = clockMicros;
    this.sync = sync;
    this.connection = connection;
    this.name = name;
    this.layouts = layouts;
    this.names = names;
    this.rollups = rollups;
    this.quota = quota;
    imports = new FlowImports(this, layouts.get(FlowPart.RECORDS), names);
    counters = new CounterJoins(name, quota);
    reading = Connections.another(connection);
    this.space = space;
    this.changes = changes;
    token = FencingTokens.of(connection, name);
    removed = RemovedRows.read(connection, name);
    newestBefore = StoredRows.newest(connection, name);
    long gone = removed.totals().beforeMicros();
    oldestBefore = gone == Long.MIN_VALUE ? Long.MAX_VALUE : gone;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public FlowSchema schema() {
    return layouts.get(FlowPart.PACKETS).schema();
  }

  LedgerQuota quota() {
    return quota.get();
  }

  @Override
  public long token() {
    return token;
  }

  @Override
  public FlowWriter sink(Duration longestWait) {
    return new DuckDbFlowWriter(this, names, sync, longestWait);
  }

  void check(long mine, String what) {
    if (mine != token) {
      throw FencingTokens.refused(name, what, mine, token);
    }
  }

  synchronized FlowCommitters committers(long mine, Duration longestWait) {
    check(mine, "rows");
    if (committers == null) {
      try {
        committers =
            new FlowCommitters(
                Runtime.getRuntime().availableProcessors(),
                () ->
                    new FlowCommitter(
                        connection,
                        name,
                        layouts,
                        names,
                        longestWait,
                        newest::accumulate,
                        changes,
                        space));
      } catch (SQLException e) {
        throw failed("write to", e);
      }
    }
    return committers;
  }

  synchronized FlowCommitter join(FlowCommitters joined) {
    return joined.join();
  }

  synchronized void leave(FlowCommitters left) {
    if (left.leave() && left == committers) {
      closeCommitters();
    }
  }

  private void closeCommitters() {
    if (committers == null) {
      return;
    }
    try {
      committers.close();
    } catch (SQLException e) {
      throw failed("close the writer of", e);
    } finally {
      committers = null;
    }
  }

  @Override
  public synchronized long rewind(long next, Frontier frontier) {
    if (next <= token) {
      throw new FencedException(
          "table %s refuses a rewind under token %d: it was rewound under %d already, by another"
                  .formatted(name, next, token)
              + " life of the job, or the clock of the machine that gives tokens was set back");
    }
    closeCommitters();
    Frontier kept = frontier.union(permanent(reached()));
    long deleted = rollups.rewinding(() -> deleteUncovered(next, kept));
    changes.arrivals(name).nothingAfter(kept);
    newestBefore = newestStored();
    if (newest.getThenReset() != Long.MIN_VALUE) {
      newest.accumulate(newestBefore);
    }
    token = next;
    lastCheckpoint = 0;
    return deleted;
  }

  private long deleteUncovered(long next, Frontier frontier) {
    return inTransaction(
        "rewind",
        statement -> {
          rollups.takeOff(statement, frontier);
          long deleted = 0;
          for (FlowPart part : FlowPart.values()) {
            for (String uncovered : UncoveredRows.conditions(frontier)) {
              deleted +=
                  statement.executeLargeUpdate(
                      "DELETE FROM " + Catalog.raw(part.tableName(name)) + " WHERE " + uncovered);
            }
          }
          RefusedRows.rewind(
              statement, name, "NOT (" + UncoveredRows.covers(frontier, "log_offset") + ")");
          CounterTables.rewind(
              statement,
              name,
              "NOT (" + UncoveredRows.covers(frontier, CounterTables.LAST_OFFSET) + ")");
          Map<Integer, Long> left = new TreeMap<>();
          reached()
              .next()
              .forEach(
                  (partition, offset) ->
                      left.put(partition, Math.min(offset, frontier.next(partition))));
          store(statement, new Frontier(left));
          FencingTokens.store(statement, name, next);
          return deleted;
        });
  }

  @Override
  public synchronized void committed(long mine, long checkpoint, Frontier frontier) {
    check(mine, "a checkpoint");
    Frontier before = reached();
    Frontier union = before.union(frontier);
    Work<Void> note =
        statement -> {
          store(statement, union);
          // Up to the checkpoint before, since a job may have to go back to the one before the
          // last. Reports of other subtasks on this checkpoint do not count: they would cut a sum
          // in
          // two.
          if (checkpoint > lastCheckpoint) {
            counters.join(
                statement, UncoveredRows.covers(before, "log_offset"), clockMicros.getAsLong());
          }
          return null;
        };
    try { // again if need be: a second time changes nothing
      MemoryShortage.outlast(changes.memory(), () -> transact(connection, note));
    } catch (SQLException e) {
      throw failed("note a checkpoint of", e);
    }
    lastCheckpoint = Math.max(lastCheckpoint, checkpoint);
    rollups.committed(union);
  }

  @Override
  public synchronized void committed(Frontier frontier) {
    committed(token, lastCheckpoint + 1, frontier);
  }

  /** In one transaction; writers wait for its last part alone. */
  @Override
  public ImportedRows add(Path file, RetentionConfig retention, Cancellation cancellation) {
    try {
      return imports.add(file, retention, cancellation);
    } catch (SQLException e) {
      throw failed("import into", e);
    }
  }

  synchronized DuckDBConnection another() throws SQLException {
    return Connections.another(connection);
  }

  synchronized void insert(DuckDBConnection own, ParquetImport rows, long newestOfFile) {
    changes.arrivals(name).unknown();
    Frontier after =
        inTransaction(
            own,
            "import into",
            statement -> {
              Frontier reached = rows.insert(name, layouts, StoredFrontier.committed(own, name));
              store(statement, reached);
              return reached;
            });
    newestBefore = Math.max(newestBefore, newestOfFile);
    rollups.committed(after);
  }

  private void store(Statement statement, Frontier frontier) throws SQLException {
    StoredFrontier.store(statement, StoredFrontier.COMMITTED, name, frontier);
  }

  @Override
  public synchronized Frontier committed() {
    return reached().only(partition -> !LogPartition.isImported(partition));
  }

  @Override
  public synchronized Frontier imported() {
    return reached().only(LogPartition::isImported);
  }

  private Frontier reached() {
    try {
      return StoredFrontier.committed(connection, name);
    } catch (SQLException e) {
      throw failed("read the frontier of", e);
    }
  }

  private static Frontier permanent(Frontier reached) {
    int epoch = reached.epoch();
    return reached.only(
        partition -> LogPartition.isImported(partition) || LogPartition.epoch(partition) < epoch);
  }

  @Override
  public synchronized Frontier stored() {
    Frontier committed = committed();
    Map<Integer, Long> next = new TreeMap<>(committed.next());
    try {
      for (FlowPart part : FlowPart.values()) {
        for (String uncovered : UncoveredRows.conditions(reached())) {
          SqlRows.forEach(
              connection,
              "SELECT log_partition, max(log_offset) FROM %s WHERE %s GROUP BY 1"
                  .formatted(Catalog.raw(part.tableName(name)), uncovered),
              row -> next.merge(row.getInt(1), row.getLong(2) + 1, Math::max));
        }
      }
    } catch (SQLException e) {
      throw failed("read", e);
    }
    return new Frontier(next);
  }

  @Override
  public synchronized void beginEpoch(Frontier from, Frontier until, Frontier begin) {
    Frontier reached = reached();
    if (reached.epoch() >= begin.epoch()) {
      return; // done already
    }
    closeCommitters();
    Map<Integer, Long> lost = new TreeMap<>(stored().next());
    Map<Integer, Long> kept = new TreeMap<>(reached.next());
    from.next().forEach((partition, offset) -> kept.merge(partition, offset, Math::min));
    long next = token + 1;
    var unused =
        rollups.rewinding(
            () ->
                inTransaction(
                    "begin another epoch of",
                    statement -> {
                      rollups.takeOff(statement, new Frontier(kept));
                      String again = new LogRange(from, until).sql();
                      for (FlowPart part : FlowPart.values()) {
                        statement.execute(
                            "DELETE FROM " + Catalog.raw(part.tableName(name)) + " WHERE " + again);
                      }
                      RefusedRows.rewind(statement, name, again);
                      CounterTables.rewind(
                          statement, name, again.replace("log_offset", CounterTables.LAST_OFFSET));
                      store(statement, new Frontier(lost).union(reached).union(begin));
                      FencingTokens.store(statement, name, next);
                      return 0L;
                    }));
    changes.arrivals(name).unknown();
    token = next;
    rollups.committed(reached());
  }

  private long newestStored() {
    try {
      return StoredRows.newest(connection, name);
    } catch (SQLException e) {
      throw failed("read", e);
    }
  }

  RemovedRows removed() {
    return removed;
  }

  @Override
  public long oldest() throws SQLException {
    synchronized (reading) {
      oldestBefore = StoredRows.oldest(reading, name, oldestBefore);
      return oldestBefore;
    }
  }

  @Override
  public long newest() {
    return Math.max(newestBefore, newest.get());
  }

  /**
   * In one transaction that writers and queries do not wait for, but checkpoints and rewinds do: so
   * the caller takes small steps.
   */
  @Override
  public synchronized long remove(long beforeMicros) {
    RemovedRows before = removed;
    removed =
        inTransaction(
            "remove old rows of",
            statement -> {
              Frontier rolled =
                  rollups.rolled(connection, StoredFrontier.committed(connection, name));
              return new OldRows(name, rolled).remove(statement, before, beforeMicros);
            });
    return removed.totals().rows() - before.totals().rows();
  }

  @Override
  public StoredRetention retention() {
    return removed.totals();
  }

  @Override
  public long newestMicros() {
    return newest.get();
  }

  @Override
  public long rows() {
    try {
      synchronized (reading) {
        return SqlRows.number(reading, "SELECT " + FlowPart.count(name));
      }
    } catch (SQLException e) {
      throw failed("count", e);
    }
  }

  /** Without the lock of the table, which checkpoints and rewinds want. */
  @Override
  public StoredCounters counters() {
    try {
      synchronized (reading) {
        return CounterTables.read(reading, changes.memory(), name);
      }
    } catch (SQLException e) {
      throw failed("read the counters of", e);
    }
  }

  private interface Work<T> {
    T with(Statement statement) throws SQLException;
  }

  private <T> T inTransaction(String what, Work<T> work) {
    return inTransaction(connection, what, work);
  }

  private <T> T inTransaction(DuckDBConnection own, String what, Work<T> work) {
    try {
      return transact(own, work);
    } catch (SQLException e) {
      throw failed(what, e);
    }
  }

  private <T> T transact(DuckDBConnection own, Work<T> work) throws SQLException {
    try (Statement statement = own.createStatement()) {
      SqlRows.execute(own, "BEGIN");
      T result = work.with(statement);
      changes.during(() -> SqlRows.execute(own, "COMMIT"));
      return result;
    } catch (SQLException | RuntimeException e) {
      SqlRows.rollBack(own, changes.memory());
      throw e;
    }
  }

  private StoreException failed(String what, SQLException e) {
    return new StoreException(
        "cannot " + what + " table " + name + ": " + DiskFailures.explain(e), e);
  }

  /** A transaction sees all rows. */
  @Override
  public RowsView show(DuckDBConnection queries) {
    return RowsView.OF_TRANSACTION;
  }

  @Override
  public long fileBytes() {
    return 0;
  }

  @Override
  public synchronized void close() throws SQLException {
    closeCommitters();
    synchronized (reading) {
      reading.close();
    }
    connection.close();
  }
}
