package io.millrace.store.iceberg;

import io.millrace.store.Cancellation;
import io.millrace.store.ExternalFileWriter;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.ImportedRows;
import io.millrace.store.RetentionConfig;
import io.millrace.store.Store;
import io.millrace.store.StoreException;
import io.millrace.store.StoredCounters;
import io.millrace.store.StoredRetention;
import io.millrace.store.duckdb.ledger.CounterJoins;
import io.millrace.store.duckdb.ledger.CounterTables;
import io.millrace.store.duckdb.offsets.CommitMark;
import io.millrace.store.duckdb.offsets.CoveredRows;
import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.parquet.ParquetImport;
import io.millrace.store.duckdb.rollup.TableRollups;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.MemoryShortage;
import io.millrace.store.rollup.Grain;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LedgerQuota;
import io.millrace.wire.block.LogPartition;
import io.millrace.wire.sink.BlockSink;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.duckdb.DuckDBConnection;

/**
 * A table of flows with rows in an {@link IcebergFlowTable}, and counters, texts and rollups in the
 * database. Counters and texts are stored at each seal, so after a failure the database has at
 * least those of all committed rows; a rewind removes the counters of other rows.
 */
public final class IcebergFlows implements FlowTable, AutoCloseable {
  private static final long COUNTERS_NANOS = 500_000_000;

  private final IcebergFlowTable table;
  private final NameDictionary names;
  private final Runnable commitNames;
  private final TableRollups rollups;
  private final CommitMemory memory;
  private final Supplier<LedgerQuota> quota;
  private final CounterJoins joins;
  private final LongSupplier clockMicros;
  private final Runnable sync;
  private final DuckDBConnection connection; // guarded by this
  private final CommitMark mark; // guarded by this
  private final DuckDBConnection reading; // guarded by itself
  private final ExecutorService counting;
  private final Object imports = new Object();
  private long lastCheckpoint; // guarded by this

  /** Frontier of the last commit, up to which the next one joins counters. Guarded by this. */
  private Frontier joinable = Frontier.EMPTY;

  /**
   * Wraps an open table.
   *
   * @param commitNames commits stored texts to the Iceberg table of names
   * @param clockMicros microseconds since the epoch, to tell how long exporters have been idle
   * @param sync waits until the database's commits would survive a power failure
   */
  public IcebergFlows(
      IcebergFlowTable table,
      DuckDBConnection connection,
      NameDictionary names,
      Runnable commitNames,
      TableRollups rollups,
      CommitMemory memory,
      Supplier<LedgerQuota> quota,
      LongSupplier clockMicros,
      Runnable sync)
      throws SQLException {
    this.table = table;
    this.connection = Connections.another(connection);
    mark = new CommitMark(this.connection);
    reading = Connections.another(connection);
    this.names = names;
    this.commitNames = commitNames;
    this.rollups = rollups;
    this.memory = memory;
    this.quota = quota;
    this.clockMicros = clockMicros;
    this.sync = sync;
    joins = new CounterJoins(table.name(), quota);
    counting =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, "store-counters-" + table.name());
              thread.setDaemon(true);
              return thread;
            });
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
  public FlowWriter sink() {
    return new Writer(table.sink());
  }

  @Override
  public String tableDescriptor() {
    return table.descriptor();
  }

  @Override
  public ExternalFileWriter externalFileSink() {
    return new ExternalWriter(table.externalFileSink());
  }

  /**
   * Makes the views of a connection show the rows as of now, until the next call for the
   * connection.
   *
   * @return to be closed after the query
   */
  public RowsView show(DuckDBConnection queries) throws SQLException {
    names.flush();
    return table.show(queries);
  }

  /** Like {@link #show}, for long statements: see {@link IcebergFlowTable#showInFiles}. */
  public RowsView showInFiles(DuckDBConnection queries, long from, long to) throws SQLException {
    names.flush();
    return table.showInFiles(queries, from, to);
  }

  /**
   * Writer of one subtask, which counts its own blocks. Another thread stores the counters, because
   * their transaction may have to wait for one of the rollups.
   */
  private class Writer implements FlowWriter {
    private final BlockSink<FlowBlock, Frontier> sink;
    private final CounterTables counters = new CounterTables(quota.get());
    private long countersAt = System.nanoTime();
    private CompletableFuture<Void> storing = CompletableFuture.completedFuture(null);
    private volatile CompletableFuture<Void> sealedCounters = storing;
    private long mine;

    Writer(BlockSink<FlowBlock, Frontier> sink) {
      this.sink = sink;
    }

    @Override
    public void rewind(long next, Frontier covered) {
      var unused = IcebergFlows.this.rewind(next, covered);
    }

    @Override
    public void begin(long token, long checkpoint) {
      sink.begin(token, checkpoint);
      mine = token;
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
      if (storing.isCompletedExceptionally()) {
        await(storing);
      }
      List<CounterTables.Sums> sums = counters.take();
      if (!sums.isEmpty()) {
        long token = mine;
        storing = storing.thenRunAsync(() -> store(token, sums), counting);
      }
    }

    @Override
    public void flush() {
      sink.flush();
      storeCounters();
      await(storing);
    }

    @Override
    public void seal(long checkpoint, Frontier covered) {
      storeCounters();
      sealedCounters = storing;
      flushNames();
      sink.seal(checkpoint, covered);
    }

    @Override
    public void sync() {
      await(sealedCounters);
      sync.run();
      sink.sync();
    }

    @Override
    public boolean isCommitConcurrent() {
      return true;
    }

    @Override
    public void commit(long checkpoint, Frontier covered) {
      await(sealedCounters);
      commitNames.run();
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

  /** Writer of a subtask whose process writes the files itself. */
  private final class ExternalWriter extends Writer implements ExternalFileWriter {
    private final ExternalFileSink sink;

    ExternalWriter(ExternalFileSink sink) {
      super(sink);
      this.sink = sink;
    }

    @Override
    public Frontier known() {
      return sink.known();
    }

    @Override
    public void toStored(long[] ids) {
      names.toCanonical(ids, ids.length);
    }

    @Override
    public void end(int part, long number) {
      sink.end(FlowPart.values()[part], number);
    }

    @Override
    public void written(long number, BlockInput report) {
      sink.written(number, report);
    }
  }

  /** Stores counters, unless the table was rewound after they were counted. */
  private synchronized void store(long mine, List<CounterTables.Sums> sums) {
    if (mine == token()) {
      transact("count datagrams of", statement -> CounterTables.store(connection, name(), sums));
    }
  }

  private static void await(CompletableFuture<Void> work) {
    try {
      work.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private void flushNames() {
    try {
      MemoryShortage.outlast(
          memory,
          () -> {
            names.flush();
            return null;
          });
    } catch (SQLException e) {
      throw failed("store texts of", e);
    }
  }

  /** Joins counters that no rewind can remove, and tells the rollups which rows are committed. */
  private synchronized void stored(long checkpoint) {
    Frontier committed = table.committed();
    if (checkpoint > lastCheckpoint) {
      Frontier before = joinable;
      transact(
          "join the counters of",
          statement ->
              joins.join(
                  statement, CoveredRows.covers(before, "log_offset"), clockMicros.getAsLong()));
      joinable = committed;
    }
    lastCheckpoint = Math.max(lastCheckpoint, checkpoint);
    rollups.committed(committed);
  }

  @Override
  public synchronized long rewind(long next, Frontier covered) {
    commitNames.run(); // before the rewind commits sealed rows with these texts
    long discarded = table.rewind(next, covered);
    afterRewind();
    return discarded;
  }

  private void afterRewind() {
    Frontier reached = table.committed();
    transact(
        "rewind",
        statement ->
            CounterTables.rewind(
                statement,
                name(),
                "NOT (" + CoveredRows.covers(reached, CounterTables.LAST_OFFSET) + ")"));
    joinable = reached;
    lastCheckpoint = 0;
    rollups.committed(reached);
  }

  @Override
  public synchronized void beginEpoch(Frontier read, Frontier until, Frontier begin) {
    // a repeated call must keep sealed rows of the new epoch, and their counters, for the rewind
    if (table.committed().epoch() < begin.epoch()) {
      commitNames.run();
      table.beginEpoch(read, until, begin);
      afterRewind();
    }
  }

  @Override
  public void committed(long mine, long checkpoint, Frontier covered) {
    table.check(mine, "a checkpoint");
    flushNames();
    commitNames.run();
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

  public IcebergFlowTable table() {
    return table;
  }

  /** See {@link IcebergFlowTable#version}. */
  public Optional<TableVersion> version() {
    return table.version();
  }

  /** Arrival of the newest row, microseconds; {@link Long#MIN_VALUE} if there is none. */
  public long newest() {
    return table.newest();
  }

  /** See {@link IcebergFlowTable#newestUntil}. */
  public long newestUntil(long until, long gapMicros) {
    return table.newestUntil(until, gapMicros);
  }

  /** Arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} if there is none. */
  public long oldest() {
    return table.oldest();
  }

  @Override
  public long rows() {
    return table.rows();
  }

  /** Size of the newest snapshot's files. */
  public long fileBytes() {
    return table.bytes();
  }

  @Override
  public StoredRetention retention() {
    return table.removed();
  }

  /**
   * Removes the files of all hours before a time, except those with rows that are not rolled up.
   *
   * @return number of rows removed
   */
  public synchronized long remove(long beforeMicros) {
    if (table.oldest() >= Grain.HOUR.bucket(beforeMicros)) {
      return 0;
    }
    Frontier reached = table.committed();
    try {
      return table.remove(beforeMicros, new LogRange(rollups.rolled(connection, reached), reached));
    } catch (SQLException e) {
      throw failed("remove old rows of", e);
    }
  }

  /**
   * Imports the rows of an exported file that the table does not contain yet, all or none.
   *
   * @throws IllegalArgumentException if it is not an export, or retention would remove its rows
   */
  public ImportedRows add(Path file, RetentionConfig retention, Cancellation cancellation) {
    synchronized (imports) { // concurrent imports of one file would each add its rows
      try (DuckDBConnection own = Connections.another(reading)) {
        ParquetImport rows = new ParquetImport(own, file, cancellation);
        try {
          return add(own, rows, retention);
        } catch (SQLException e) {
          throw cancellation.isCancelled() ? e : rows.failure(e);
        }
      } catch (SQLException e) {
        throw failed("import into", e);
      } catch (IOException e) {
        throw new StoreException("cannot import into table " + name() + ": " + e.getMessage(), e);
      }
    }
  }

  private ImportedRows add(DuckDBConnection own, ParquetImport rows, RetentionConfig retention)
      throws SQLException, IOException {
    long newestOfFile = rows.newest();
    if (newestOfFile == Long.MIN_VALUE) {
      return new ImportedRows(0, 0);
    }
    long oldestOfFile = rows.oldest();
    checkKeeps(oldestOfFile, newestOfFile, retention);
    ImportedRows added;
    try (RowsView shown = showInFiles(own, oldestOfFile, newestOfFile + 1)) {
      var unused = shown.read(name(), some -> some.mayHave(oldestOfFile, newestOfFile + 1));
      added = rows.prepare(name(), FlowLayout.of(FlowPart.RECORDS, schema()), names);
    }
    if (added.added() > 0) {
      commitNames.run();
      table.add(own, rows);
      rollups.committed(table.committed());
    }
    return added;
  }

  private void checkKeeps(long oldestOfFile, long newestOfFile, RetentionConfig retention) {
    long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    long newest = Math.min(Math.max(newest(), newestOfFile), now); // a wrong clock may be ahead
    long age = newest - TimeUnit.NANOSECONDS.toMicros(retention.rows().toNanos());
    long keptFrom = Math.max(retention().beforeMicros(), age);
    if (name().equals(Store.FLOWS) && oldestOfFile < keptFrom) {
      throw new IllegalArgumentException(
          "the file has rows older than %s, which retention would remove from table %s (store.retention); import them into another table with --table NAME"
              .formatted(Instant.EPOCH.plus(keptFrom, ChronoUnit.MICROS), name()));
    }
  }

  @Override
  public StoredCounters counters() {
    Frontier committed = table.committed();
    try {
      synchronized (reading) {
        return CounterTables.read(reading, memory, name(), committed);
      }
    } catch (SQLException e) {
      throw failed("read the counters of", e);
    }
  }

  private interface Work {
    void with(Statement statement) throws SQLException;
  }

  private synchronized void transact(String what, Work work) {
    try {
      mark.transaction(
          memory,
          () -> {
            try (Statement statement = connection.createStatement()) {
              work.with(statement);
            }
            return null;
          });
    } catch (SQLException e) {
      throw failed(what, e);
    }
  }

  private StoreException failed(String what, SQLException e) {
    return new StoreException("cannot " + what + " table " + name() + ": " + e.getMessage(), e);
  }

  @Override
  public void close() throws SQLException {
    counting.shutdown();
    table.close();
    synchronized (reading) {
      reading.close();
    }
    synchronized (this) {
      connection.close();
    }
  }
}
