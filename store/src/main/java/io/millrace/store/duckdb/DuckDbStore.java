package io.millrace.store.duckdb;

import io.millrace.pulse.SteadyClock;
import io.millrace.store.Cancellation;
import io.millrace.store.ExportedRows;
import io.millrace.store.ExporterRow;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.ImportedRows;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.QueryShape;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultTable;
import io.millrace.store.RowEngine;
import io.millrace.store.SeriesResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.TopResult;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.disk.DiskSpace;
import io.millrace.store.duckdb.disk.SyncedLog;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.query.TableCalls;
import io.millrace.store.duckdb.rollup.Rollups;
import io.millrace.store.duckdb.sample.SampleTables;
import io.millrace.store.duckdb.schema.ExporterTable;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.top.SeriesQuery;
import io.millrace.store.duckdb.top.SeriesTable;
import io.millrace.store.duckdb.top.SnapshotRows;
import io.millrace.store.duckdb.top.TopMemory;
import io.millrace.store.duckdb.top.TopQuery;
import io.millrace.store.duckdb.top.TopSource;
import io.millrace.store.iceberg.IcebergFlows;
import io.millrace.store.iceberg.TableVersion;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.storage.TableStorage;
import io.millrace.wire.block.LedgerQuota;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;

/** The embedded store: one DuckDB file in a directory, opened by one process at a time. */
public final class DuckDbStore implements Store {
  /** Name of the file in the store's directory. */
  public static final String FILE_NAME = "millrace.duckdb";

  private static final long ROLL_ROWS = 4_000_000;

  private static final long AHEAD_MICROS = TimeUnit.MINUTES.toMicros(1);

  private static final long LAST_MICROS = TimeUnit.SECONDS.toMicros(9_214_646_400L);

  private final OpenedParts parts = new OpenedParts();
  private final SteadyClock clock;
  private final StoreFile file;
  private final Exchange exchange;
  private final StoreConfig config;
  private final RollupConfig rollupConfig;
  private final DuckDBConnection root;
  private final ExporterTable exporters;
  private final Queries queries;
  private final TopMemory topMemory = new TopMemory();
  private final Rollups rollups = new Rollups();
  private final CommitMemory memory;
  private final Checkpoints checkpoints;
  private final StoreTables tables;
  private final Retention retention;
  private final DiskSpace space;
  private final StoreBackup backup;

  /**
   * Opens the store in a directory, or creates it.
   *
   * @throws StoreException if the file cannot be opened, or is open in another process
   * @throws WrongSchemaException if the file has another format
   */
  public DuckDbStore(Path directory, StoreConfig config) {
    this(directory, config, RollupConfig.DEFAULT);
  }

  /**
   * Opens the store with a configuration of rollups, or creates it.
   *
   * @throws IllegalArgumentException from {@link #table}, if a declared set has columns that the
   *     table lacks
   */
  public DuckDbStore(Path directory, StoreConfig config, RollupConfig rollups) {
    this(directory, config, rollups, ROLL_ROWS, null);
  }

  DuckDbStore(
      Path directory,
      StoreConfig config,
      RollupConfig rollups,
      long rollRows,
      LongSupplier clockMicros) {
    this.config = config;
    rollupConfig = rollups;
    Path path = directory.resolve(FILE_NAME);
    Path exchangeDirectory = directory.resolve("exchange");
    try {
      Exchange.clear(exchangeDirectory);
      space = DiskSpace.of(directory, config.checkpointBytes());
      file = parts.add(new StoreFile(path, exchangeDirectory, config));
      root = file.root();
      memory = parts.add(new CommitMemory(root, config.memoryBytes()));
      checkpoints =
          parts.add(
              new Checkpoints(
                  Connections.another(root),
                  memory,
                  file.log(),
                  config.checkpointBytes(),
                  SyncedLog.bootId().isPresent()));
      clock =
          new SteadyClock(
              clockMicros == null ? DuckDbStore::nowMicros : clockMicros,
              System::nanoTime,
              this::newestStored);
      tables =
          parts.add(
              new StoreTables(
                  root,
                  parts.add(TableStorage.of(directory, config.objects())),
                  directory.resolve(StoreTables.DIRECTORY),
                  config.listen() != null,
                  memory,
                  space,
                  this.rollups,
                  rollups,
                  rollRows,
                  clock,
                  checkpoints::sync));
      parts.add(this.rollups);
      exporters = parts.add(new ExporterTable(Connections.another(root), memory));
      retention =
          parts.add(
              new Retention(
                  Connections.another(root),
                  config.retention(),
                  tables::openResults,
                  checkpoints,
                  clock));
      tables.setRetention(retention);
      queries =
          parts.add(
              new Queries(
                  root,
                  config,
                  tables.views(),
                  tables.resultNames(),
                  tables.otherViews(),
                  memory,
                  () -> space.isTakenBy(file.spill()),
                  tables::isTailHeld,
                  tables::show));
      queries.setFunctions(
          new TableCalls(
              Map.of(
                  SeriesTable.NAME,
                  (arguments, cancellation) ->
                      SeriesTable.select(series(SeriesTable.request(arguments), cancellation)))));
      exchange = new Exchange(exchangeDirectory, root, queries.clock(), space, config);
      backup = new StoreBackup(directory.resolve("backup"), path, tables, checkpoints);
      backup.drop();
      for (String name : tables.stored()) {
        tables.reopen(name);
      }
      var unused = clock.getAsLong(); // checks the time against the newest stored row
      if (clockMicros == null) {
        retention.start();
      }
    } catch (SQLException | IOException e) {
      parts.closeAfter(e);
      throw new StoreException("cannot open the store " + path + ": " + DiskFailures.explain(e), e);
    } catch (RuntimeException e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  /** Sets how many exporters have their own counters; returns this store. */
  public DuckDbStore with(LedgerQuota ledgers) {
    tables.setQuota(ledgers);
    return this;
  }

  private OptionalLong newestStored(long wall) {
    return tables.newestUntil(
        Math.min(wall, LAST_MICROS),
        TimeUnit.NANOSECONDS.toMicros(SteadyClock.TOLERANCE.toNanos()));
  }

  private static long nowMicros() {
    return System.currentTimeMillis() * 1_000;
  }

  @Override
  public FlowTable table(String name, FlowSchema schema) {
    return tables.flows(name, schema);
  }

  @Override
  public List<String> tables() {
    return tables.flowNames();
  }

  @Override
  public ResultTable results(String name, TableSchema schema, List<String> key) {
    return tables.results(name, schema, key);
  }

  @Override
  public List<String> resultTables() {
    return List.copyOf(tables.resultNames());
  }

  @Override
  public void resultView(String name, String select) {
    tables.resultView(name, select);
  }

  @Override
  public void drop(Collection<String> names) {
    tables.drop(names);
  }

  @Override
  public void retain(String table, ResultRetention limits) {
    retention.declare(table, limits);
  }

  @Override
  public Optional<Instant> rowsFrom() {
    return tables
        .open(FLOWS)
        .map(table -> table.retention().beforeMicros())
        .filter(micros -> micros != Long.MIN_VALUE)
        .map(micros -> Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  @Override
  public void exporters(List<ExporterRow> rows) {
    try {
      memory.during(() -> exporters.show(rows));
    } catch (SQLException e) {
      throw new StoreException("cannot write the table of exporters: " + e.getMessage(), e);
    }
  }

  @Override
  public QueryResult query(QueryRequest request, Cancellation cancellation) {
    return queries.run(request, cancellation);
  }

  @Override
  public QueryShape describe(QueryRequest request) {
    return queries.describe(request);
  }

  @Override
  public TopResult top(FlowQuery request, Cancellation cancellation) {
    return new TopQuery(source(request.table()))
        .run(request, config.queryTimeLimit(), cancellation);
  }

  @Override
  public SeriesResult series(FlowQuery request, Cancellation cancellation) {
    return new SeriesQuery(source(request.table()))
        .run(request, config.queryTimeLimit(), cancellation);
  }

  @Override
  public TopResult top(FlowQuery request, RowEngine engine, Cancellation cancellation) {
    return new TopQuery(source(request.table()).in(snapshot(request.table(), engine)))
        .run(request, config.queryTimeLimit(), cancellation);
  }

  @Override
  public SeriesResult series(FlowQuery request, RowEngine engine, Cancellation cancellation) {
    return new SeriesQuery(source(request.table()).in(snapshot(request.table(), engine)))
        .run(request, config.queryTimeLimit(), cancellation);
  }

  private SnapshotRows snapshot(String name, RowEngine engine) {
    String table = tables.view(name).table();
    return tables
        .open(table)
        .flatMap(IcebergFlows::version)
        .filter(version -> version.newestMicros() != Long.MIN_VALUE)
        .map(version -> new SnapshotRows(engine, table, version))
        .orElseThrow(
            () ->
                new QueryException(
                    QueryException.Reason.BUSY,
                    "%s: no snapshot yet; %s sees rows after the first checkpoint"
                        .formatted(table, engine.name()),
                    QueryException.NO_POSITION));
  }

  @Override
  public Optional<Instant> snapshotTo() {
    return tables
        .open(FLOWS)
        .flatMap(IcebergFlows::version)
        .map(TableVersion::newestMicros)
        .filter(micros -> micros != Long.MIN_VALUE)
        .map(micros -> Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  private TopSource source(String table) {
    FlowView view = tables.view(table);
    FlowSchema schema = tables.open(view.table()).orElseThrow().schema();
    return new TopSource(queries, topMemory, view, schema, rollupConfig.accounting());
  }

  /** Rolls up all committed rows and returns when done; for measurements. */
  public void rollUp() {
    try {
      rollups.rollUp();
    } catch (SQLException e) {
      throw new StoreException("cannot roll up: " + e.getMessage(), e);
    }
  }

  /** Approximate bytes on disk of the sample of flows; for measurements. */
  public double sampleBytes() {
    try {
      checkpoints.checkpoint();
      return SampleTables.bytes(root, FLOWS);
    } catch (SQLException e) {
      throw new StoreException("cannot measure the sample: " + e.getMessage(), e);
    }
  }

  @Override
  public ExportedRows exportRows(
      String table, Instant from, Instant to, Cancellation cancellation) {
    if (!tables().contains(table)) {
      throw new IllegalArgumentException(
          "no table of flows " + table + "; there are " + String.join(", ", tables()));
    }
    return exchange.exportRows(
        tables.open(table).orElseThrow(), tables.view(table), from, to, cancellation);
  }

  @Override
  public ImportedRows importRows(String table, InputStream parquet) throws IOException {
    return exchange.importRows(parquet, wanted -> tableFor(table, wanted));
  }

  private IcebergFlows tableFor(String name, FlowSchema wanted) {
    FlowSchema there =
        name.equals(FLOWS) ? table(name, new FlowSchema(List.of())).schema() : wanted;
    List<String> missing =
        wanted.joined().stream()
            .filter(column -> !there.joined().contains(column))
            .map(FlowSchema.AddedColumn::name)
            .toList();
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          "table %s has no column %s: declare the data set that adds it, or import into another table with --table NAME"
              .formatted(name, String.join(", ", missing)));
    }
    return (IcebergFlows) table(name, there);
  }

  @Override
  public Path backUp() {
    return backup.make();
  }

  @Override
  public void dropBackup() {
    backup.drop();
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public Optional<String> problem() {
    return failure().or(space::problem);
  }

  @Override
  public List<String> delays() {
    return Stream.of(rollups.problems(), clock.problem().stream().toList(), aheadOfTheClock())
        .flatMap(List::stream)
        .toList();
  }

  private List<String> aheadOfTheClock() {
    return tables.newestOf(Store.FLOWS).stream()
        .filter(newest -> newest > nowMicros() + AHEAD_MICROS)
        .mapToObj(
            newest ->
                "the newest row of flows is dated %s, ahead of this machine's clock; check the clocks of this machine and of the collectors; time ranges such as the last hour exclude such rows"
                    .formatted(
                        Instant.EPOCH
                            .plus(newest, ChronoUnit.MICROS)
                            .truncatedTo(ChronoUnit.SECONDS)))
        .toList();
  }

  Optional<String> failure() {
    return file.failure();
  }

  /**
   * Removes rows that exceed their age or size limit, and returns when done.
   *
   * @return number of steps, each a transaction except the last, which finds nothing to remove
   */
  public int retain() {
    try {
      return retention.retain();
    } catch (SQLException e) {
      throw new StoreException("cannot remove old rows: " + e.getMessage(), e);
    }
  }

  DuckDBConnection connection() {
    return root;
  }

  void sync() {
    checkpoints.sync();
  }

  void checkpoint() {
    checkpoints.checkpoint();
  }

  @Override
  public long diskBytes() {
    return file.diskBytes() + tables.fileBytes();
  }

  @Override
  public synchronized void close() {
    try {
      parts.close();
    } catch (Exception e) {
      throw new StoreException("cannot close " + file.path() + ": " + e.getMessage(), e);
    }
  }
}
