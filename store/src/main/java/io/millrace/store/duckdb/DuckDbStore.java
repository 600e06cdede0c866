package io.millrace.store.duckdb;

import io.millrace.store.Cancellation;
import io.millrace.store.DeviceNames;
import io.millrace.store.ExportedRows;
import io.millrace.store.ExporterRow;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.ImportedRows;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.QueryShape;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultTable;
import io.millrace.store.SeriesRequest;
import io.millrace.store.SeriesResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.TableNames;
import io.millrace.store.TopRequest;
import io.millrace.store.TopResult;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.disk.DiskSpace;
import io.millrace.store.duckdb.flows.DuckDbFlowTable;
import io.millrace.store.duckdb.offsets.StoredFrontier;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.query.TableCalls;
import io.millrace.store.duckdb.results.DuckDbResultTable;
import io.millrace.store.duckdb.results.ResultLayout;
import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.rollup.RollupSets;
import io.millrace.store.duckdb.rollup.Rollups;
import io.millrace.store.duckdb.rollup.TableRollups;
import io.millrace.store.duckdb.sample.SampleTables;
import io.millrace.store.duckdb.sample.SampleView;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.ExporterTable;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.FlowTableFile;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.store.duckdb.snapshot.RowChanges;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.duckdb.top.SeriesQuery;
import io.millrace.store.duckdb.top.SeriesTable;
import io.millrace.store.duckdb.top.TopMemory;
import io.millrace.store.duckdb.top.TopQuery;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.LedgerQuota;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.duckdb.DuckDBConnection;

/** The embedded store: one DuckDB file in a directory, opened by one process at a time. */
public final class DuckDbStore implements Store {
  /** Name of the file in the store's directory. */
  public static final String FILE_NAME = "millrace.duckdb";

  /** At 200,000 rows a second, what comes in 20 s. */
  private static final long ROLL_ROWS = 4_000_000;

  private final StoreFile file;
  private final Exchange exchange;
  private final StoreConfig config;
  private final RollupConfig rollupConfig;
  private final long rollRows;
  private final DuckDBConnection root;
  private final NameDictionary names;
  private final ExporterTable exporters;
  private final Queries queries;
  private final TopMemory topMemory = new TopMemory();
  private final Rollups rollups = new Rollups();
  private final CommitMemory memory;
  private final RowChanges changes;
  private final Retention retention;
  private volatile LedgerQuota quota = LedgerQuota.DEFAULT;
  private final DiskSpace space;
  private final Map<String, DuckDbFlowTable> tables = new TreeMap<>();
  private final Map<String, FlowView> views = new ConcurrentHashMap<>();
  private final Map<String, DuckDbResultTable> results = new ConcurrentHashMap<>();

  /** Those that the file holds, whoever fills them now. */
  private final Set<String> resultNames = new ConcurrentSkipListSet<>();

  /** Views of rollups, and of results. */
  private final Set<String> moreViews = new ConcurrentSkipListSet<>();

  /**
   * Opens the store in a directory, or makes one there.
   *
   * @throws StoreException if the file cannot be opened, or is open in another process
   * @throws WrongSchemaException if a newer version has written it
   */
  public DuckDbStore(Path directory, StoreConfig config) {
    this(directory, config, RollupConfig.DEFAULT);
  }

  /**
   * The same, with these rollups.
   *
   * @throws IllegalArgumentException from {@link #table}, if a set is declared of columns that the
   *     table has not
   */
  public DuckDbStore(Path directory, StoreConfig config, RollupConfig rollups) {
    this(directory, config, rollups, StoreCompression.AUTO);
  }

  /** The same, compressing what is written from now on in another way; for measurements. */
  public DuckDbStore(
      Path directory, StoreConfig config, RollupConfig rollups, StoreCompression compression) {
    this(directory, config, rollups, compression, ROLL_ROWS, null);
  }

  /**
   * The same, for tests.
   *
   * @param rollRows rows that are rolled up at once
   * @param clockMicros another clock for retention, which then removes rows in {@link #retain}
   *     alone; null for the machine's
   */
  DuckDbStore(
      Path directory,
      StoreConfig config,
      RollupConfig rollups,
      StoreCompression compression,
      long rollRows,
      LongSupplier clockMicros) {
    this.config = config;
    this.rollRows = rollRows;
    rollupConfig = rollups;
    Path path = directory.resolve(FILE_NAME);
    Path passing = directory.resolve("exchange");
    try {
      Exchange.clear(passing);
      space = DiskSpace.of(directory, config.checkpointBytes());
      file = new StoreFile(path, passing, config, compression);
      root = file.root();
      try {
        memory = new CommitMemory(root, config.memoryBytes());
        changes = new RowChanges(memory);
        names = new NameDictionary(root.duplicate(), memory);
        exporters = new ExporterTable(root.duplicate());
        queries = new Queries(root, config, views, resultNames, moreViews, changes, memory);
        queries.answering(
            new TableCalls(
                Map.of(
                    SeriesTable.NAME,
                    (arguments, cancellation) ->
                        SeriesTable.select(series(SeriesTable.request(arguments), cancellation)))));
        exchange = new Exchange(passing, root, queries.clock(), space, config);
        ResultLayout.open(root, DeviceNames.TABLE.name(), DeviceNames.SCHEMA);
        resultNames.addAll(ResultLayout.tables(root));
        LongSupplier clock = clockMicros == null ? DuckDbStore::nowMicros : clockMicros;
        retention =
            new Retention(
                root.duplicate(),
                memory,
                config.retention(),
                () -> Map.copyOf(results),
                file::walBytes,
                clock);
        for (String name : file.storedTables()) {
          openTable(name, new FlowSchema(List.of()));
        }
        if (clockMicros == null) {
          retention.start();
        }
      } catch (SQLException | RuntimeException e) {
        this.rollups.close();
        root.close();
        throw e;
      }
    } catch (SQLException | IOException e) {
      throw new StoreException("cannot open the store " + path + ": " + DiskFailures.explain(e), e);
    }
  }

  /** This store, which keeps the tallies of so many exporters one by one. */
  public DuckDbStore with(LedgerQuota ledgers) {
    quota = ledgers;
    return this;
  }

  private static long nowMicros() {
    return System.currentTimeMillis() * 1_000;
  }

  private static void checkName(
      String name,
      Set<String> others,
      String kind,
      String otherKind,
      Function<String, Optional<String>> whyNot) {
    (others.contains(name)
            ? Optional.of("there is a table of " + otherKind + " of that name")
            : whyNot.apply(name))
        .ifPresent(
            why -> {
              throw new IllegalArgumentException(
                  "'%s' cannot be the name of a table of %s: %s".formatted(name, kind, why));
            });
  }

  @Override
  public FlowTable table(String name, FlowSchema schema) {
    checkName(name, resultNames, "flows", "results", TableNames::whyNotFlows);
    try {
      FlowTable table = openTable(name, schema);
      RollupSets.check(name, table.schema(), rollupConfig);
      return table;
    } catch (SQLException e) {
      throw new StoreException("cannot open table " + name + ": " + e.getMessage(), e);
    }
  }

  private synchronized FlowTable openTable(String name, FlowSchema schema) throws SQLException {
    DuckDbFlowTable open = tables.get(name);
    if (open != null && open.schema().joined().containsAll(schema.joined())) {
      return open;
    }
    retention.remove(name);
    rollups.remove(name);
    Map<FlowPart, FlowLayout> layouts =
        memory.answering(() -> FlowTableFile.open(root, name, schema));
    List<FlowView> own = FlowView.of(name, layouts.get(FlowPart.RECORDS));
    for (FlowView view : own) {
      SqlRows.execute(root, view.create());
      views.put(view.name(), view);
    }
    TableRollups kept =
        new TableRollups(
            root.duplicate(),
            memory,
            name,
            layouts,
            own.get(0),
            StoredFrontier.committed(root, name),
            rollupConfig,
            rollRows,
            rollups::wake);
    moreViews.addAll(kept.views());
    DuckDbFlowTable table =
        new DuckDbFlowTable(
            root.duplicate(), name, layouts, names, kept, space, changes, () -> quota);
    rollups.add(name, kept);
    DuckDbFlowTable before = tables.put(name, table);
    if (before != null) {
      before.close();
    }
    if (name.equals(FLOWS)) { // others were made for somebody to look at
      retention.add(table, kept);
    }
    return table;
  }

  @Override
  public synchronized List<String> tables() {
    return List.copyOf(tables.keySet());
  }

  @Override
  public synchronized ResultTable results(String name, TableSchema schema, List<String> key) {
    checkName(name, tables.keySet(), "results", "flows", TableNames::whyNotResults);
    for (String column : key) {
      if (schema.indexOf(column) < 0) {
        throw new IllegalArgumentException(
            "table " + name + " has no column " + column + " to be its key");
      }
    }
    DuckDbResultTable open = results.get(name);
    if (open != null && open.schema().equals(schema) && open.key().equals(key)) {
      return open;
    }
    try {
      List<String> stored = memory.answering(() -> ResultLayout.open(root, name, schema));
      DuckDbResultTable table =
          new DuckDbResultTable(root.duplicate(), memory, name, schema, key, stored);
      resultNames.add(name);
      DuckDbResultTable before = results.put(name, table);
      if (before != null) {
        before.close();
      }
      return table;
    } catch (SQLException e) {
      throw new StoreException("cannot open table " + name + ": " + e.getMessage(), e);
    }
  }

  @Override
  public synchronized void drop(Collection<String> names) {
    if (names.contains(FLOWS)) {
      throw new IllegalArgumentException("the table " + FLOWS + " cannot be dropped");
    }
    List<String> dropped = names.stream().filter(tables::containsKey).toList();
    List<String> goneViews = new ArrayList<>();
    try {
      List<String> statements = new ArrayList<>();
      for (String name : dropped) {
        rollups.remove(name);
        tables.remove(name).close();
        RollupCatalog catalog = RollupCatalog.read(root, name);
        List<String> shown = new ArrayList<>(catalog.views());
        views.values().stream()
            .filter(view -> view.table().equals(name))
            .forEach(view -> shown.add(view.name()));
        shown.add(SampleView.name(name));
        statements.addAll(DroppedTable.ofFlows(name, shown, catalog.stored()));
        statements.addAll(SampleTables.drop(name));
        goneViews.addAll(shown);
      }
      for (String name : names) {
        DuckDbResultTable open = results.remove(name);
        if (open != null) {
          open.close();
        }
        if (resultNames.contains(name)) {
          statements.addAll(DroppedTable.ofResults(name));
        }
      }
      try (DuckDBConnection own = root.duplicate()) {
        memory.during(() -> SqlRows.transaction(own, statements));
      }
    } catch (SQLException e) {
      reopen(dropped, e);
      throw new StoreException(
          "cannot drop " + String.join(", ", names) + ": " + DiskFailures.explain(e), e);
    }
    views.keySet().removeAll(goneViews);
    goneViews.forEach(moreViews::remove);
    names.forEach(resultNames::remove);
  }

  /** After a failure, which what fails now is added to. */
  private void reopen(List<String> names, SQLException failure) {
    for (String name : names) {
      try {
        openTable(name, new FlowSchema(List.of()));
      } catch (SQLException e) {
        failure.addSuppressed(e);
      }
    }
  }

  @Override
  public void retain(String table, ResultRetention limits) {
    retention.declare(table, limits);
  }

  @Override
  public synchronized void resultView(String name, String select) {
    if (resultNames.contains(name) || TableNames.whyNotResults(name).isPresent()) {
      throw new IllegalArgumentException("'" + name + "' cannot be the name of a view of results");
    }
    try {
      memory.execute(root, "CREATE OR REPLACE VIEW " + Catalog.main(name) + " AS " + select);
      moreViews.add(name);
    } catch (SQLException e) {
      throw new StoreException("cannot make the view " + name + ": " + e.getMessage(), e);
    }
  }

  @Override
  public List<String> resultTables() {
    return List.copyOf(resultNames);
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
  public TopResult top(TopRequest request, Cancellation cancellation) {
    FlowView view = view(request.table());
    FlowSchema schema = tables.get(view.table()).schema();
    return new TopQuery(queries, topMemory, view, schema, rollupConfig.accounting())
        .run(request, config.queryTimeLimit(), cancellation);
  }

  @Override
  public SeriesResult series(SeriesRequest request, Cancellation cancellation) {
    FlowView view = view(request.table());
    FlowSchema schema = tables.get(view.table()).schema();
    return new SeriesQuery(queries, topMemory, view, schema, rollupConfig.accounting())
        .run(request, config.queryTimeLimit(), cancellation);
  }

  private FlowView view(String name) {
    FlowView view = views.get(name);
    if (view == null) {
      throw new IllegalArgumentException(
          "no table " + name + "; there are " + String.join(", ", tables()));
    }
    return view;
  }

  /** Rolls up at once what checkpoints cover, and returns when that is done; for measurements. */
  public void rollUp() {
    try {
      rollups.rollUp();
    } catch (SQLException e) {
      throw new StoreException("cannot roll up: " + e.getMessage(), e);
    }
  }

  /** Bytes on disk of the sample of the table of flows, about; for measurements. */
  public double sampleBytes() {
    try {
      file.checkpoint();
      return SampleTables.bytes(root, FLOWS);
    } catch (SQLException e) {
      throw new StoreException("cannot measure the sample: " + e.getMessage(), e);
    }
  }

  @Override
  public synchronized Optional<Instant> rowsFrom() {
    return Optional.ofNullable(tables.get(FLOWS))
        .map(table -> table.retention().beforeMicros())
        .filter(micros -> micros != Long.MIN_VALUE)
        .map(micros -> Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  @Override
  public ExportedRows exportRows(
      String table, Instant from, Instant to, Cancellation cancellation) {
    FlowView view = views.get(table);
    if (view == null || !tables().contains(table)) {
      throw new IllegalArgumentException(
          "no table of flows " + table + "; there are " + String.join(", ", tables()));
    }
    return exchange.exportRows(view, from, to, cancellation);
  }

  @Override
  public ImportedRows importRows(String table, InputStream parquet) throws IOException {
    return exchange.importRows(parquet, wanted -> tableFor(table, wanted));
  }

  /** The table, with the columns of the file; a table that a job writes to keeps its own. */
  private DuckDbFlowTable tableFor(String name, FlowSchema wanted) {
    FlowSchema there =
        name.equals(FLOWS) ? table(name, new FlowSchema(List.of())).schema() : wanted;
    List<String> missing =
        wanted.joined().stream()
            .filter(column -> !there.joined().contains(column))
            .map(FlowSchema.Joined::name)
            .toList();
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          "the table %s has no column %s: declare the data set that gives it, or import into a table of its own, --table NAME"
              .formatted(name, String.join(", ", missing)));
    }
    return (DuckDbFlowTable) table(name, there);
  }

  @Override
  public Optional<String> problem() {
    return failure().or(space::problem);
  }

  /** Why the file has to be opened anew; empty if it has not. */
  Optional<String> failure() {
    return file.failure();
  }

  /**
   * Removes at once what is too old or too much, and returns when that is done.
   *
   * @return number of steps that were taken, each a transaction but for the last, which finds
   *     nothing to do
   */
  public int retain() {
    try {
      return retention.retain();
    } catch (SQLException e) {
      throw new StoreException("cannot remove old rows: " + e.getMessage(), e);
    }
  }

  /** To look into the file, and to make others like it; for tests. */
  DuckDBConnection connection() {
    return root;
  }

  /** Folds the write-ahead log into the file; for tests. */
  void checkpoint() {
    file.checkpoint();
  }

  @Override
  public long diskBytes() {
    return file.diskBytes();
  }

  @Override
  public synchronized void close() {
    List<AutoCloseable> all = new ArrayList<>(List.of(queries, retention, rollups));
    tables.values().forEach(table -> all.add(table::close));
    results.values().forEach(table -> all.add(table::close));
    all.addAll(List.<AutoCloseable>of(names::close, exporters, memory, file));
    StoreException failure = null;
    for (AutoCloseable one : all) { // each, whatever the others say: the file must be let go
      try {
        one.close();
      } catch (Exception e) {
        if (failure == null) {
          failure = new StoreException("cannot close " + file.path() + ": " + e.getMessage(), e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
