package io.millrace.store.duckdb;

import io.millrace.store.Cancellation;
import io.millrace.store.ExportedRows;
import io.millrace.store.ExporterRow;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.ImportedRows;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.QueryShape;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultTable;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.TableNames;
import io.millrace.store.TopRequest;
import io.millrace.store.TopResult;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.LedgerQuota;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.LongSupplier;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;

/**
 * The embedded store: one DuckDB file in a directory, opened by one process at a time.
 *
 * <p>The file is attached to a database in memory, with access to all other files shut off and the
 * settings locked before the first query: what the {@link Sandbox} lets through by mistake meets a
 * second wall.
 */
public final class DuckDbStore implements Store {
  /** Name of the file in the store's directory. */
  public static final String FILE_NAME = "millrace.duckdb";

  /**
   * 2 added the table of tickets, which a release that knows 1 would take for one of flows; 3 the
   * rollups, from which one that knows 2 would not take off what it rewinds; 4 what retention has
   * removed, which one that knows 3 would store and roll up again after a rewind.
   */
  private static final int FORMAT = 4;

  /** At 200,000 rows a second, what comes in 20 s. */
  private static final long ROLL_ROWS = 4_000_000;

  /** Half of DuckDB's own: a commit leaves part-filled blocks behind, smaller ones waste less. */
  static final int BLOCK_BYTES = 128 << 10;

  private static final int MAX_EXPRESSION_DEPTH = 200;

  /** The rows of a file are written into a table of their own, and from there into the store's. */
  private static final int IMPORT_FACTOR = 3;

  private final Path file;

  /** Where files are on their way out and in, the only ones that SQL reaches beside the store's. */
  private final Path exchange;

  private final StoreConfig config;
  private final RollupConfig rollupConfig;
  private final long rollRows;
  private final StoreCompression compression;
  private final DuckDBConnection root;
  private final NameDictionary names;
  private final ExporterTable exporters;
  private final Queries queries;
  private final Rollups rollups = new Rollups();
  private final RowChanges changes = new RowChanges();
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
    this(directory, config, rollups, compression, ROLL_ROWS);
  }

  /** The same, rolling up so many rows at once; for tests. */
  DuckDbStore(
      Path directory,
      StoreConfig config,
      RollupConfig rollups,
      StoreCompression compression,
      long rollRows) {
    this(directory, config, rollups, compression, rollRows, DuckDbStore::nowMicros, true);
  }

  /**
   * The same, with another clock for retention, which then removes rows in {@link #retain} alone.
   */
  DuckDbStore(
      Path directory,
      StoreConfig config,
      RollupConfig rollups,
      StoreCompression compression,
      long rollRows,
      LongSupplier clockMicros) {
    this(directory, config, rollups, compression, rollRows, clockMicros, false);
  }

  private DuckDbStore(
      Path directory,
      StoreConfig config,
      RollupConfig rollups,
      StoreCompression compression,
      long rollRows,
      LongSupplier clockMicros,
      boolean removesBySelf) {
    this.config = config;
    this.rollRows = rollRows;
    rollupConfig = rollups;
    this.compression = compression;
    file = directory.resolve(FILE_NAME);
    exchange = directory.resolve("exchange");
    try {
      Files.createDirectories(exchange);
      clear(exchange);
      space = DiskSpace.of(directory, config.checkpointBytes());
      root = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:", streaming());
      try {
        attach(directory);
        checkFormat();
        names = new NameDictionary(root.duplicate());
        exporters = new ExporterTable(root.duplicate());
        queries = new Queries(root, config, views, resultNames, moreViews, changes);
        resultNames.addAll(ResultLayout.tables(root));
        retention =
            new Retention(
                root.duplicate(),
                config.retention(),
                () -> Map.copyOf(results),
                this::walBytes,
                clockMicros);
        for (String name : storedTables()) {
          openTable(name, new FlowSchema(List.of()));
        }
        if (removesBySelf) {
          retention.start();
        }
      } catch (SQLException | RuntimeException e) {
        this.rollups.close();
        root.close();
        throw e;
      }
    } catch (SQLException | IOException e) {
      throw new StoreException("cannot open the store " + file + ": " + DiskFailures.explain(e), e);
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

  /** Deletes what a process left that was killed. */
  private static void clear(Path directory) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path left : files) {
        Files.delete(left);
      }
    }
  }

  /** Rows are fetched as they are read, and not all before the first. */
  private static Properties streaming() {
    Properties properties = new Properties();
    properties.setProperty(DuckDBDriver.JDBC_STREAM_RESULTS, "true");
    return properties;
  }

  private void attach(Path directory) throws SQLException {
    execute("SET memory_limit = '" + config.memoryBytes() / 1024 + "KiB'");
    execute("SET threads = " + config.threads());
    execute("SET temp_directory = " + literal(directory.resolve("tmp").toString()));
    execute("SET wal_autocheckpoint = '" + config.checkpointBytes() / 1024 + "KiB'");
    execute(compression.sql());
    execute("SET enable_progress_bar = false");
    // With DuckDB's own 1,000, an expression takes more stack than a thread of Java has: the
    // process ends.
    execute("SET max_expression_depth = " + MAX_EXPRESSION_DEPTH);
    execute("SET max_temp_directory_size = '" + spillBytes(directory) / 1024 + "KiB'");
    // Of row groups whose rows are all deleted it takes those with the least values, so that ORDER
    // BY time LIMIT 1 gave no row at all (2.0.0.1).
    execute("SET disabled_optimizers = 'row_group_pruner'");
    execute(
        "ATTACH %s AS %s (ROW_GROUP_SIZE %d, STORAGE_VERSION 'latest'%s)"
            .formatted(
                literal(file.toString()),
                Catalog.DATABASE,
                FlowLane.ROW_GROUP,
                Files.exists(file) ? "" : ", BLOCK_SIZE " + BLOCK_BYTES)); // a file keeps its own
    execute("USE " + Catalog.DATABASE);
    execute("SET allowed_directories = [" + literal(exchange + "/") + "]");
    execute("SET enable_external_access = false");
    execute("SET lock_configuration = true");
  }

  private long spillBytes(Path directory) {
    return Math.max(
        1 << 20, Math.min(config.spillBytes(), directory.toFile().getUsableSpace() / 2));
  }

  private void checkFormat() throws SQLException {
    execute("BEGIN");
    execute("CREATE SCHEMA IF NOT EXISTS " + Catalog.RAW_SCHEMA);
    execute("CREATE TABLE IF NOT EXISTS raw.about(family VARCHAR, version INTEGER)");
    execute(
        "INSERT INTO raw.about SELECT 'millrace-flows', "
            + FORMAT
            + " WHERE NOT EXISTS (SELECT 1 FROM raw.about)");
    execute("UPDATE raw.about SET version = " + FORMAT + " WHERE version < " + FORMAT);
    execute("CREATE TABLE IF NOT EXISTS main.names(id BIGINT, name VARCHAR)");
    execute(StoredFrontier.create(DuckDbFlowTable.FRONTIERS));
    execute("CREATE TABLE IF NOT EXISTS raw.tickets(table_name VARCHAR, ticket BIGINT)");
    execute(Tallies.create());
    for (String column : Tallies.extend()) {
      execute(column);
    }
    for (String state : RefusedRows.schema()) {
      execute(state);
    }
    if (config.listen() == null) {
      Tickets.forget(root);
    }
    execute(RollupRules.create());
    for (String state : RollupCatalog.create()) {
      execute(state);
    }
    for (String state : Removed.create()) {
      execute(state);
    }
    for (String macro : Macros.create()) {
      execute(macro);
    }
    for (String macro : CommunityId.create()) {
      execute(macro);
    }
    execute("COMMIT");
    try (Statement statement = root.createStatement();
        ResultSet rows = statement.executeQuery("SELECT family, version FROM raw.about")) {
      if (!rows.next() || rows.getInt(2) > FORMAT) {
        throw new WrongSchemaException(
            "%s was written by a newer version of Millrace (format %d, this one reads up to %d)"
                .formatted(file, rows.getInt(2), FORMAT));
      }
    }
  }

  private List<String> storedTables() throws SQLException {
    return SqlRows.strings(
        root,
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'millrace' AND schema_name ="
            + " 'raw' AND table_name NOT IN ('about', 'frontiers', 'tickets', 'tallies', 'exporters')"
            + " AND NOT contains(table_name, '__') ORDER BY 1");
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = root.createStatement()) {
      statement.execute(sql);
    }
  }

  static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  @Override
  public FlowTable table(String name, FlowSchema schema) {
    Optional<String> refusal =
        resultNames.contains(name)
            ? Optional.of("there is a table of results of that name")
            : TableNames.whyNotFlows(name);
    if (refusal.isPresent()) {
      throw new IllegalArgumentException(
          "'" + name + "' cannot be the name of a table of flows: " + refusal.get());
    }
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
    Map<FlowPart, FlowLayout> layouts = FlowTableFile.open(root, name, schema);
    List<FlowView> own = FlowView.of(name, layouts.get(FlowPart.RECORDS));
    for (FlowView view : own) {
      execute(view.create());
      views.put(view.name(), view);
    }
    TableRollups kept =
        new TableRollups(
            root.duplicate(),
            name,
            layouts,
            own.get(0),
            DuckDbFlowTable.committed(root, name),
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
    Optional<String> refusal =
        tables.containsKey(name)
            ? Optional.of("there is a table of flows of that name")
            : TableNames.whyNotResults(name);
    if (refusal.isPresent()) {
      throw new IllegalArgumentException(
          "'" + name + "' cannot be the name of a table of results: " + refusal.get());
    }
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
      List<String> stored = ResultLayout.open(root, name, schema);
      DuckDbResultTable table = new DuckDbResultTable(root.duplicate(), name, schema, key, stored);
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
  public void retain(String table, ResultRetention limits) {
    retention.declare(table, limits);
  }

  @Override
  public synchronized void resultView(String name, String select) {
    if (resultNames.contains(name) || TableNames.whyNotResults(name).isPresent()) {
      throw new IllegalArgumentException("'" + name + "' cannot be the name of a view of results");
    }
    try (Statement statement = root.createStatement()) {
      statement.execute("CREATE OR REPLACE VIEW " + Catalog.main(name) + " AS " + select);
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
      exporters.show(rows);
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
    FlowView view = views.get(request.table());
    if (view == null) {
      throw new IllegalArgumentException(
          "no table " + request.table() + "; there are " + String.join(", ", tables()));
    }
    FlowSchema schema = tables.get(view.table()).schema();
    return new TopQuery(queries, view, schema, rollupConfig.accounting())
        .run(request, config.queryTimeLimit(), cancellation);
  }

  /** Rolls up at once what checkpoints cover, and returns when that is done; for measurements. */
  public void rollUp() {
    try {
      rollups.rollUp();
    } catch (SQLException e) {
      throw new StoreException("cannot roll up: " + e.getMessage(), e);
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
    Path target = exchange.resolve(UUID.randomUUID() + ".parquet");
    Cancellation ending = new Cancellation();
    cancellation.onCancel(ending::cancel);
    try (FileWatch watch = fileWatch(ending)) {
      try (DuckDBConnection connection = root.duplicate()) {
        ParquetExport export = new ParquetExport(connection, ending);
        return new ExportedRows(target, export.write(view, micros(from), micros(to), target));
      } catch (SQLException e) {
        delete(target);
        watch.rethrow();
        throw e;
      }
    } catch (SQLException e) {
      if (cancellation.isCancelled()) {
        throw new QueryException(
            QueryException.Reason.CANCELLED, "cancelled", QueryException.NO_POSITION);
      }
      throw new StoreException("cannot export " + table + ": " + DiskFailures.explain(e), e);
    }
  }

  private static long micros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  @Override
  public ImportedRows importRows(String table, InputStream parquet) throws IOException {
    Path source = exchange.resolve(UUID.randomUUID() + ".parquet");
    Cancellation ending = new Cancellation();
    try (FileWatch watch = fileWatch(ending)) {
      receive(parquet, source, watch);
      watch.check(IMPORT_FACTOR * Files.size(source));
      try {
        return tableFor(table, source).add(source, config.retention(), ending);
      } catch (StoreException e) {
        watch.rethrow();
        throw e;
      }
    } finally {
      delete(source);
    }
  }

  private static void receive(InputStream parquet, Path file, FileWatch watch) throws IOException {
    byte[] piece = new byte[1 << 16];
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int n = parquet.read(piece); n >= 0; n = parquet.read(piece)) {
        watch.check(n);
        out.write(piece, 0, n);
      }
    }
  }

  private FileWatch fileWatch(Cancellation ending) {
    return new FileWatch(queries.clock(), ending, space, config.exportTimeLimit());
  }

  /** The table, with the columns of the file; a table that a job writes to keeps its own. */
  private DuckDbFlowTable tableFor(String name, Path source) {
    FlowSchema wanted;
    try (DuckDBConnection connection = root.duplicate()) {
      wanted = new ParquetImport(connection, source).schema();
    } catch (SQLException e) {
      throw new StoreException("cannot read the file: " + DiskFailures.explain(e), e);
    }
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

  private static void delete(Path left) {
    try {
      Files.deleteIfExists(left);
    } catch (IOException e) {
      left.toFile().deleteOnExit(); // the next start deletes it too
    }
  }

  @Override
  public Optional<String> problem() {
    return failure().or(space::problem);
  }

  /** Why the file has to be opened anew; empty if it has not. */
  Optional<String> failure() {
    try (DuckDBConnection connection = root.duplicate()) {
      SqlRows.number(connection, "SELECT count(*) FROM " + Catalog.raw("about"));
      return Optional.empty();
    } catch (SQLException e) {
      return DiskFailures.isInvalidated(e)
          ? Optional.of(DiskFailures.explain(e))
          : Optional.empty();
    }
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

  /** Folds the write-ahead log into the file; for tests. */
  void checkpoint() {
    try {
      execute("CHECKPOINT " + Catalog.DATABASE);
    } catch (SQLException e) {
      throw new StoreException("cannot checkpoint: " + DiskFailures.explain(e), e);
    }
  }

  private long walBytes() {
    return file.resolveSibling(FILE_NAME + ".wal").toFile().length(); // 0 where there is none
  }

  @Override
  public long diskBytes() {
    try {
      return Files.size(file) + walBytes();
    } catch (IOException e) {
      throw new StoreException("cannot read the size of " + file, e);
    }
  }

  @Override
  public synchronized void close() {
    List<AutoCloseable> all = new ArrayList<>(List.of(queries, retention, rollups));
    tables.values().forEach(table -> all.add(table::close));
    results.values().forEach(table -> all.add(table::close));
    all.addAll(List.<AutoCloseable>of(names::close, exporters, root));
    StoreException failure = null;
    for (AutoCloseable one : all) { // each, whatever the others say: the file must be let go
      try {
        one.close();
      } catch (Exception e) {
        if (failure == null) {
          failure = new StoreException("cannot close " + file + ": " + e.getMessage(), e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
