package io.millrace.store.duckdb;

import io.millrace.store.DeviceNames;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.ResultTable;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.TableNames;
import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.disk.DiskSpace;
import io.millrace.store.duckdb.history.TieredTable;
import io.millrace.store.duckdb.results.DuckDbResultTable;
import io.millrace.store.duckdb.results.ResultLayout;
import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.rollup.RollupSets;
import io.millrace.store.duckdb.rollup.Rollups;
import io.millrace.store.duckdb.rollup.TableRollups;
import io.millrace.store.duckdb.sample.SampleHistory;
import io.millrace.store.duckdb.sample.SampleTables;
import io.millrace.store.duckdb.sample.SampleView;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.FlowParts;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.MemoryShortage;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.iceberg.IcebergFlowTable;
import io.millrace.store.iceberg.IcebergFlows;
import io.millrace.store.iceberg.IcebergHistory;
import io.millrace.store.iceberg.IcebergNames;
import io.millrace.store.iceberg.TableCatalog;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.storage.TableStorage;
import io.millrace.wire.block.LedgerQuota;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.duckdb.DuckDBConnection;

/** The store's tables and views: the open ones, and the names of all. Thread-safe. */
final class StoreTables implements AutoCloseable {
  /** Directory of the Iceberg tables, in the store's directory. */
  static final String DIRECTORY = TableCatalog.DIRECTORY;

  private final DuckDBConnection root;
  private final DuckDBConnection measuring; // guarded by itself
  private long historyBytes; // as last measured; guarded by measuring
  private final CommitMemory memory;
  private final DiskSpace space;
  private final Rollups rollups;
  private final RollupConfig rollupConfig;
  private final long rollRows;
  private final IcebergNames committedNames;
  private final NameDictionary names;
  private final Map<String, IcebergFlows> flows = new ConcurrentSkipListMap<>();
  private final Map<String, DuckDbResultTable> results = new ConcurrentHashMap<>();

  private final Map<String, FlowView> views = new ConcurrentHashMap<>();

  private final Set<String> resultNames = new ConcurrentSkipListSet<>();

  private final Set<String> otherViews = new ConcurrentSkipListSet<>();

  private volatile LedgerQuota quota = LedgerQuota.DEFAULT;
  private final LongSupplier clockMicros;
  private final Runnable sync;

  private final TableStorage storage;

  /** Directory of the tables of flows. */
  private final Path icebergTables;

  private final IcebergHistory history;

  private final boolean isShared;
  private Retention retention;

  /**
   * @param storage of the files of tables
   * @param icebergTables directory of the tables of flows
   * @param isShared whether other processes may write
   */
  StoreTables(
      DuckDBConnection root,
      TableStorage storage,
      Path icebergTables,
      boolean isShared,
      CommitMemory memory,
      DiskSpace space,
      Rollups rollups,
      RollupConfig rollupConfig,
      long rollRows,
      LongSupplier clockMicros,
      Runnable sync)
      throws SQLException {
    this.clockMicros = clockMicros;
    this.sync = sync;
    this.root = root;
    measuring = Connections.another(root);
    this.storage = storage;
    this.icebergTables = icebergTables;
    history =
        new IcebergHistory(
            storage,
            icebergTables.resolveSibling(IcebergHistory.DIRECTORY),
            IcebergFlowTable.Limits.of(StoreConfig.tailBytes()).snapshotAge());
    this.isShared = isShared;
    this.memory = memory;
    this.space = space;
    this.rollups = rollups;
    this.rollupConfig = rollupConfig;
    this.rollRows = rollRows;
    committedNames =
        IcebergNames.open(storage, icebergTables.resolve(IcebergNames.NAME), root, memory);
    names = new NameDictionary(Connections.another(root), memory);
    ResultLayout.open(root, DeviceNames.TABLE.name(), DeviceNames.SCHEMA);
    resultNames.addAll(ResultLayout.tables(root));
  }

  void setRetention(Retention other) {
    retention = other;
  }

  void setQuota(LedgerQuota ledgers) {
    quota = ledgers;
  }

  Map<String, FlowView> views() {
    return views;
  }

  Set<String> resultNames() {
    return resultNames;
  }

  Set<String> otherViews() {
    return otherViews;
  }

  Map<String, DuckDbResultTable> openResults() {
    return Map.copyOf(results);
  }

  Optional<IcebergFlows> open(String name) {
    return Optional.ofNullable(flows.get(name));
  }

  void reopen(String name) throws SQLException {
    open(name, new FlowSchema(List.of()));
  }

  private static void checkName(
      String name,
      Set<String> others,
      String kind,
      String otherKind,
      Function<String, Optional<String>> whyNot) {
    (others.contains(name)
            ? Optional.of("a table of " + otherKind + " has that name")
            : whyNot.apply(name))
        .ifPresent(
            why -> {
              throw new IllegalArgumentException(
                  "'%s' cannot be the name of a table of %s: %s".formatted(name, kind, why));
            });
  }

  FlowTable flows(String name, FlowSchema schema) {
    checkName(name, resultNames, "flows", "results", TableNames::whyNotFlows);
    try {
      FlowTable table = open(name, schema);
      RollupSets.check(name, table.schema(), rollupConfig);
      return table;
    } catch (SQLException e) {
      throw new StoreException("cannot open table " + name + ": " + e.getMessage(), e);
    }
  }

  private synchronized FlowTable open(String name, FlowSchema schema) throws SQLException {
    IcebergFlows open = flows.get(name);
    if (open != null && open.schema().joined().containsAll(schema.joined())) {
      return open;
    }
    retention.remove(name);
    rollups.remove(name);
    if (open != null) {
      open.close();
    }
    IcebergFlowTable rows = openIceberg(name, schema);
    try {
      return open(name, rows);
    } catch (SQLException | RuntimeException e) {
      rows.close();
      throw e;
    }
  }

  private FlowTable open(String name, IcebergFlowTable rows) throws SQLException {
    Map<FlowPart, FlowLayout> layouts = FlowParts.layouts(rows.schema());
    List<FlowView> own = FlowView.of(name, layouts.get(FlowPart.RECORDS));
    try (RowsView shown = rows.show(root)) {
      for (String view : FlowParts.createViews(name, layouts)) {
        SqlRows.execute(root, view);
      }
      for (FlowView view : own) {
        SqlRows.execute(root, view.create());
        views.put(view.name(), view);
      }
    }
    TableRollups kept =
        new TableRollups(
            Connections.another(root),
            memory,
            name,
            layouts,
            own.get(0),
            rows.committed(),
            rows::showCommitted,
            rows.sums(),
            history,
            rollupConfig,
            rollRows,
            rollups::wake,
            clockMicros);
    otherViews.addAll(kept.views());
    IcebergFlows table =
        new IcebergFlows(
            rows,
            root,
            names,
            committedNames::commit,
            kept,
            memory,
            () -> quota,
            clockMicros,
            sync);
    rollups.add(name, kept);
    flows.put(name, table);
    if (name.equals(Store.FLOWS)) { // users created the others
      retention.add(table, kept);
    }
    rows.startCompaction();
    return table;
  }

  private IcebergFlowTable openIceberg(String name, FlowSchema schema) throws SQLException {
    return IcebergFlowTable.open(
        storage,
        icebergTables.resolve(name),
        name,
        schema,
        root,
        names::toCanonical,
        IcebergFlowTable.Limits.of(StoreConfig.tailBytes()),
        isShared,
        space::isShort);
  }

  /** Makes a connection see the current rows of all tables of flows. */
  RowsView show(DuckDBConnection connection) throws SQLException {
    return AllRowsView.show(flows.values(), connection);
  }

  /** Whether queries keep too many rows in memory that are in files. */
  boolean isTailHeld() {
    long held = flows.values().stream().mapToLong(each -> each.table().heldBytes()).sum();
    return held > StoreConfig.heldBytes();
  }

  /** Names of the tables of flows that are stored. */
  List<String> stored() {
    try {
      return storage.folders(icebergTables).stream()
          .filter(name -> !name.equals(IcebergNames.NAME))
          .toList();
    } catch (IOException e) {
      throw new StoreException("cannot read " + icebergTables + ": " + e.getMessage(), e);
    }
  }

  /**
   * Copies the tables of flows to another directory, with hard links to their data.
   *
   * @param atThatMoment runs while no table commits
   */
  synchronized void backUp(Path to, IcebergFlowTable.BackupStep atThatMoment) throws IOException {
    List<IcebergFlowTable> all = flows.values().stream().map(IcebergFlows::table).toList();
    betweenCommits(
        all,
        () -> {
          atThatMoment.run();
          for (IcebergFlowTable table : all) {
            table.link(to.resolve(table.name()));
          }
          history.link(to.resolveSibling(IcebergHistory.DIRECTORY));
        });
    for (IcebergFlowTable table : all) {
      table.finishBackup(to.resolve(table.name()));
    }
    committedNames.commit(); // after the rows, so that it has all their names
    committedNames.backUp(to.resolve(IcebergNames.NAME));
  }

  private static void betweenCommits(
      List<IcebergFlowTable> tables, IcebergFlowTable.BackupStep step) throws IOException {
    if (tables.isEmpty()) {
      step.run();
    } else {
      tables.get(0).betweenCommits(() -> betweenCommits(tables.subList(1, tables.size()), step));
    }
  }

  long fileBytes() {
    return historyBytes() + flows.values().stream().mapToLong(IcebergFlows::fileBytes).sum();
  }

  /**
   * Bytes of the files of rollups. If queries use all memory, returns the last measurement, since
   * status needs it.
   */
  private long historyBytes() {
    synchronized (measuring) {
      try {
        historyBytes = TieredTable.allBytes(measuring);
      } catch (SQLException e) {
        if (!MemoryShortage.isCauseOf(e)) {
          throw new StoreException("cannot measure the files of rollups: " + e.getMessage(), e);
        }
      }
      return historyBytes;
    }
  }

  /** Time of the newest row of an open table of flows, microseconds; empty if there is none. */
  OptionalLong newestOf(String table) {
    IcebergFlows open = flows.get(table);
    return open == null || open.newest() == Long.MIN_VALUE
        ? OptionalLong.empty()
        : OptionalLong.of(open.newest());
  }

  /**
   * Arrival of the newest row up to {@code until}, in microseconds. If the newest files and buffers
   * are separated from all older ones by more than {@code gapMicros}, uses the newest row before
   * that gap instead. Empty if there is none.
   */
  OptionalLong newestUntil(long until, long gapMicros) {
    return flows.values().stream()
        .mapToLong(table -> table.newestUntil(until, gapMicros))
        .filter(newest -> newest != Long.MIN_VALUE)
        .max();
  }

  List<String> flowNames() {
    return List.copyOf(flows.keySet());
  }

  synchronized ResultTable results(String name, TableSchema schema, List<String> key) {
    checkName(name, flows.keySet(), "results", "flows", TableNames::whyNotResults);
    for (String column : key) {
      if (schema.indexOf(column) < 0) {
        throw new IllegalArgumentException(
            "table " + name + " has no column " + column + " for its key");
      }
    }
    DuckDbResultTable open = results.get(name);
    if (open != null && open.schema().equals(schema) && open.key().equals(key)) {
      return open;
    }
    try {
      List<String> stored = memory.supply(() -> ResultLayout.open(root, name, schema));
      DuckDbResultTable table =
          new DuckDbResultTable(Connections.another(root), memory, name, schema, key, stored, sync);
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

  synchronized void drop(Collection<String> names) {
    if (names.contains(Store.FLOWS)) {
      throw new IllegalArgumentException("the table " + Store.FLOWS + " cannot be dropped");
    }
    List<String> dropped = names.stream().filter(flows::containsKey).toList();
    List<String> goneViews = new ArrayList<>();
    List<String> goneFiles = new ArrayList<>();
    try {
      List<String> statements = new ArrayList<>();
      for (String name : dropped) {
        rollups.remove(name);
        flows.remove(name).close();
        RollupCatalog catalog = RollupCatalog.read(root, name);
        List<String> shown = new ArrayList<>(catalog.views());
        views.values().stream()
            .filter(view -> view.table().equals(name))
            .forEach(view -> shown.add(view.name()));
        shown.add(SampleView.name(name));
        statements.addAll(DroppedTable.ofFlows(name, shown, catalog));
        statements.addAll(SampleTables.drop(name));
        goneViews.addAll(shown);
        goneFiles.addAll(shown);
        goneFiles.addAll(SampleHistory.published(name));
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
      try (DuckDBConnection own = Connections.another(root)) {
        memory.during(() -> SqlRows.transaction(own, statements));
      }
      for (String name : dropped) {
        storage.deleteAll(icebergTables.resolve(name));
      }
      goneFiles.forEach(history::drop);
    } catch (SQLException | IOException e) {
      reopen(dropped, e);
      throw new StoreException(
          "cannot drop " + String.join(", ", names) + ": " + DiskFailures.explain(e), e);
    }
    views.keySet().removeAll(goneViews);
    goneViews.forEach(otherViews::remove);
    names.forEach(resultNames::remove);
  }

  private void reopen(List<String> names, Exception failure) {
    for (String name : names) {
      try {
        reopen(name);
      } catch (SQLException e) {
        failure.addSuppressed(e);
      }
    }
  }

  synchronized void resultView(String name, String select) {
    if (resultNames.contains(name) || TableNames.whyNotResults(name).isPresent()) {
      throw new IllegalArgumentException("'" + name + "' cannot be the name of a view of results");
    }
    try {
      memory.execute(root, "CREATE OR REPLACE VIEW " + Catalog.main(name) + " AS " + select);
      otherViews.add(name);
    } catch (SQLException e) {
      throw new StoreException("cannot create view " + name + ": " + e.getMessage(), e);
    }
  }

  /**
   * View of flows by name.
   *
   * @throws IllegalArgumentException if there is none
   */
  FlowView view(String name) {
    FlowView view = views.get(name);
    if (view == null) {
      throw new IllegalArgumentException(
          "no table " + name + "; there are " + String.join(", ", flowNames()));
    }
    return view;
  }

  /** Closes all tables, even if some fail. */
  @Override
  public synchronized void close() throws Exception {
    OpenedParts all = new OpenedParts();
    results.values().forEach(table -> all.<AutoCloseable>add(table::close));
    flows.values().forEach(all::add);
    all.close();
  }
}
