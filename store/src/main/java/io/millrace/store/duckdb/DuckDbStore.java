package io.millrace.store.duckdb;

import io.millrace.store.ExporterRow;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.ResultTable;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.TableNames;
import io.millrace.store.TopRequest;
import io.millrace.store.TopResult;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
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
   * rollups, from which one that knows 2 would not take off what it rewinds.
   */
  private static final int FORMAT = 3;

  /** At 200,000 rows a second, what comes in 20 s. */
  private static final long ROLL_ROWS = 4_000_000;

  /** Half of DuckDB's own: a commit leaves part-filled blocks behind, smaller ones waste less. */
  private static final int BLOCK_BYTES = 128 << 10;

  private final Path file;
  private final StoreConfig config;
  private final RollupConfig rollupConfig;
  private final long rollRows;
  private final StoreCompression compression;
  private final DuckDBConnection root;
  private final NameDictionary names;
  private final ExporterTable exporters;
  private final Queries queries;
  private final Rollups rollups = new Rollups();
  private final Map<String, DuckDbFlowTable> tables = new TreeMap<>();
  private final Map<String, FlowView> views = new ConcurrentHashMap<>();
  private final Map<String, DuckDbResultTable> results = new TreeMap<>();

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
    this.config = config;
    this.rollRows = rollRows;
    rollupConfig = rollups;
    this.compression = compression;
    file = directory.resolve(FILE_NAME);
    try {
      Files.createDirectories(directory);
      root = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:", streaming());
      try {
        attach(directory);
        checkFormat();
        names = new NameDictionary(root.duplicate());
        exporters = new ExporterTable(root.duplicate());
        queries = new Queries(root, config, views, resultNames, moreViews);
        resultNames.addAll(ResultLayout.tables(root));
        for (String name : storedTables()) {
          openTable(name, new FlowSchema(List.of()));
        }
      } catch (SQLException | RuntimeException e) {
        this.rollups.close();
        root.close();
        throw e;
      }
    } catch (SQLException | IOException e) {
      throw new StoreException("cannot open the store " + file + ": " + e.getMessage(), e);
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
    execute(
        "ATTACH %s AS %s (ROW_GROUP_SIZE %d, STORAGE_VERSION 'latest'%s)"
            .formatted(
                literal(file.toString()),
                Catalog.DATABASE,
                FlowLane.ROW_GROUP,
                Files.exists(file) ? "" : ", BLOCK_SIZE " + BLOCK_BYTES)); // a file keeps its own
    execute("USE " + Catalog.DATABASE);
    execute("SET enable_external_access = false");
    execute("SET lock_configuration = true");
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
    execute(
        "CREATE TABLE IF NOT EXISTS raw.frontiers"
            + "(table_name VARCHAR, log_partition INTEGER, next_offset BIGINT)");
    execute("CREATE TABLE IF NOT EXISTS raw.tickets(table_name VARCHAR, ticket BIGINT)");
    execute(Tallies.create());
    execute(Tallies.extend());
    if (config.listen() == null) {
      Tickets.forget(root);
    }
    execute(RollupRules.create());
    for (String state : RollupCatalog.create()) {
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
      TableRollups.check(name, table.schema(), rollupConfig);
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
    DuckDbFlowTable table = new DuckDbFlowTable(root.duplicate(), name, layouts, names, kept);
    rollups.add(name, kept);
    DuckDbFlowTable before = tables.put(name, table);
    if (before != null) {
      before.close();
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
  public QueryResult query(QueryRequest request) {
    return queries.run(request);
  }

  @Override
  public TopResult top(TopRequest request) {
    FlowView view = views.get(request.table());
    if (view == null) {
      throw new IllegalArgumentException(
          "no table " + request.table() + "; there are " + String.join(", ", tables()));
    }
    FlowSchema schema = tables.get(view.table()).schema();
    return new TopQuery(queries, view, schema, rollupConfig.accounting())
        .run(request, config.queryTimeLimit());
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
  public long diskBytes() {
    try {
      Path log = file.resolveSibling(FILE_NAME + ".wal");
      return Files.size(file) + (Files.exists(log) ? Files.size(log) : 0);
    } catch (IOException e) {
      throw new StoreException("cannot read the size of " + file, e);
    }
  }

  @Override
  public synchronized void close() {
    try {
      queries.close();
      rollups.close();
      for (DuckDbFlowTable table : tables.values()) {
        table.close();
      }
      for (DuckDbResultTable table : results.values()) {
        table.close();
      }
      names.close();
      exporters.close();
      root.close();
    } catch (SQLException e) {
      throw new StoreException("cannot close " + file + ": " + e.getMessage(), e);
    }
  }
}
