package io.millrace.store.iceberg;

import io.millrace.store.FencedException;
import io.millrace.store.FlowSchema;
import io.millrace.store.StoreException;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.offsets.FencingTokens;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.duckdb.ChunkFunction;
import org.duckdb.DuckDBConnection;

/**
 * A table of flows as an Iceberg table, and the rows that it does not have yet.
 *
 * <p>A sink's rows are in memory until they are a million, or a checkpoint seals them; then they
 * become files. The completion of the checkpoint commits all files that were sealed for it in one
 * snapshot, with the position in the log that it covers. Rows are never deleted one by one: after a
 * failure the rows of no snapshot are forgotten, and rows that the log gives once more although a
 * snapshot has them are left out.
 *
 * <p>A query sees each row once at any moment ({@link #view}): a row changes from memory to a file,
 * and from a sealed file to a snapshot, in one step.
 *
 * <p>One process opens a table for writing. Thread-safe.
 */
public final class IcebergFlowTable implements AutoCloseable {
  private static final String TOKEN = "millrace.token";
  private static final String CHECKPOINT = "millrace.checkpoint";
  private static final String FRONTIER = "millrace.frontier";

  private static final int WRITING_THREADS = 2;

  /**
   * Settings.
   *
   * @param stretchRows rows that become a file before their checkpoint
   * @param tailBytes most memory of rows without a file
   */
  public record Limits(int stretchRows, long tailBytes) {
    /** A million rows, 512 MiB. */
    public static final Limits DEFAULT = new Limits(1_000_000, 512L << 20);
  }

  private final String name;
  private final Path directory;
  private final DuckDBConnection connection;
  private final String function;
  private final Table table;
  private final FlowColumns columns;
  private final Limits limits;
  private final TailMemory memory;
  private final StretchFiles files;
  private final TailChunk.TextIds ids;
  private final ExecutorService writing;
  private final Map<Long, TableView> views = new ConcurrentHashMap<>();
  private final AtomicLong handles = new AtomicLong();

  private volatile long token;
  private volatile Frontier committed = Frontier.EMPTY;

  /** What snapshots had at the last rewind: rows of it come again, and are left out. */
  private volatile Frontier known = Frontier.EMPTY;

  /** Why rows could not be written since the last rewind; null if they could. */
  private volatile StoreException failure;

  // Guarded by this.
  private final List<String> committedFiles = new ArrayList<>();
  private final Set<Pending> tail = new LinkedHashSet<>();
  private final TreeMap<Long, List<Sealing>> sealed = new TreeMap<>();
  private final Set<IcebergFlowSink> sinks = new HashSet<>();
  private long parts;

  /** Rows without a snapshot: in memory, or in files once these are written. */
  static final class Pending {
    final Stretch stretch;
    private List<StoredFile> files; // guarded by the table; null while rows are in memory
    private boolean isForgotten; // guarded by the table
    private CompletableFuture<List<StoredFile>> written;

    Pending(Stretch stretch) {
      this.stretch = stretch;
    }
  }

  /** What a sink has sealed at a checkpoint. */
  private static final class Sealing {
    private final long checkpoint;
    private final Frontier covered;
    private final List<Pending> rows;
    private final long number;
    private boolean isDurable; // guarded by this
    private Path file; // guarded by this; null without rows

    Sealing(long checkpoint, Frontier covered, List<Pending> rows, long number) {
      this.checkpoint = checkpoint;
      this.covered = covered;
      this.rows = rows;
      this.number = number;
    }

    private synchronized void deleteFile() {
      if (file != null) {
        deleteQuietly(file);
      }
    }
  }

  /**
   * Opens the table of a directory, or creates one. Columns of the schema that are missing are
   * added.
   *
   * @param connection of the database in which rows become files and views are made
   * @param ids gives texts the ids that are stored
   * @throws WrongSchemaException if a column of that name has another type
   */
  public static IcebergFlowTable open(
      Path directory,
      String name,
      FlowSchema schema,
      DuckDBConnection connection,
      java.util.function.BiConsumer<long[], Integer> ids,
      Limits limits)
      throws SQLException {
    FlowColumns wanted = FlowColumns.of(schema);
    Schema first = wanted.iceberg();
    Table table =
        TableDirectory.open(
            directory,
            name,
            first,
            PartitionSpec.builderFor(first).hour(FlowColumns.TIME).build(),
            SortOrder.unsorted(),
            Map.of(
                "format-version", "2",
                "write.parquet.compression-codec", "zstd",
                "write.metadata.delete-after-commit.enabled", "true",
                "write.metadata.previous-versions-max", "20"));
    addMissing(table, wanted);
    return new IcebergFlowTable(directory, name, table, wanted, connection, ids::accept, limits);
  }

  private static void addMissing(Table table, FlowColumns wanted) {
    UpdateSchema update = table.updateSchema();
    boolean isAny = false;
    for (FlowColumns.Column column : wanted.columns()) {
      Types.NestedField field = table.schema().findField(column.name());
      if (field == null) {
        update.addColumn(column.name(), column.form().type);
        isAny = true;
      } else if (!field.type().equals(column.form().type)) {
        throw new WrongSchemaException(
            "table %s: column %s is stored as %s, wanted is %s; name the new one differently"
                .formatted(table.name(), column.name(), field.type(), column.form().type));
      }
    }
    if (isAny) {
      update.commit();
    }
  }

  private IcebergFlowTable(
      Path directory,
      String name,
      Table table,
      FlowColumns columns,
      DuckDBConnection connection,
      TailChunk.TextIds ids,
      Limits limits)
      throws SQLException {
    this.directory = directory.toAbsolutePath().normalize();
    this.name = name;
    this.table = table;
    this.columns = columns;
    this.ids = ids;
    this.limits = limits;
    this.connection = Connections.another(connection);
    function = "millrace_tail_" + name;
    memory = new TailMemory(columns, limits.tailBytes());
    files = new StretchFiles(connection, this.directory.resolve("data"), function);
    writing =
        Executors.newFixedThreadPool(
            WRITING_THREADS,
            task -> {
              Thread thread = new Thread(task, "store-files-" + name);
              thread.setDaemon(true);
              return thread;
            });
    ChunkFunction.register(
        this.connection, function, columns.forScans(), handle -> chunksOf(handle));
    readSnapshot();
    makeViews();
  }

  private void readSnapshot() {
    for (Snapshot s = table.currentSnapshot(); s != null; s = parent(s)) {
      if (s.summary().containsKey(TOKEN)) {
        token = Long.parseLong(s.summary().get(TOKEN));
        committed = FrontierText.parse(s.summary().get(FRONTIER));
        break;
      }
    }
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      tasks.forEach(
          task -> committedFiles.add(LocalFileIO.path(task.file().location()).toString()));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the table " + name, e);
    }
  }

  private Snapshot parent(Snapshot snapshot) {
    return snapshot.parentId() == null ? null : table.snapshot(snapshot.parentId());
  }

  // ---- what queries see

  /**
   * Views of the stored rows, {@code raw.<name>__rows} and {@code raw.<name>__committed}. What they
   * show is set for each connection by {@link View#settings}.
   */
  private void makeViews() throws SQLException {
    Path empty = directory.resolve("empty.parquet");
    List<String> statements = new ArrayList<>();
    statements.add("CREATE SCHEMA IF NOT EXISTS " + Catalog.RAW_SCHEMA);
    if (!Files.exists(empty)) {
      statements.add(
          "COPY (SELECT %s WHERE false) TO %s (FORMAT parquet, FIELD_IDS %s)"
              .formatted(
                  columns.list(
                      column -> "NULL::%s AS %s".formatted(column.form().sql(), column.quoted())),
                  io.millrace.store.SqlLiteral.of(empty.toString()),
                  columns.list(c -> c.quoted() + ": " + id(c)).transform(l -> "{" + l + "}")));
    }
    String list = columns.list(FlowColumns.Column::quoted);
    String committedRows = parquet(list, "committed");
    statements.add(view("committed", committedRows));
    statements.add(
        view(
            "rows",
            committedRows
                + " UNION ALL "
                + parquet(list, "sealed")
                + " UNION ALL SELECT %s FROM %s(getvariable('%s_tail'))"
                    .formatted(list, function, name)));
    try (TableView view = take();
        Statement statement = connection.createStatement()) {
      for (String sql : view.settings(name, empty.toString())) {
        statement.execute(sql);
      }
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private int id(FlowColumns.Column column) {
    return table.schema().findField(column.name()).fieldId();
  }

  private String view(String suffix, String select) {
    return "CREATE OR REPLACE VIEW %s.%s AS %s"
        .formatted(Catalog.RAW_SCHEMA, Catalog.quoted(name + "__" + suffix), select);
  }

  private String parquet(String list, String which) {
    return "SELECT %s FROM read_parquet(getvariable('%s_%s_files'), schema = MAP {%s})"
        .formatted(
            list,
            name,
            which,
            columns.list(
                column ->
                    "%d: {'name': '%s', 'type': '%s', 'default_value': NULL}"
                        .formatted(id(column), column.name(), column.form().sql())));
  }

  /**
   * Makes the views of a connection show the table as it is now, until the next call.
   *
   * @return what is shown; to be closed when the query has ended
   */
  public AutoCloseable show(DuckDBConnection queries) throws SQLException {
    TableView view = take();
    try (Statement statement = queries.createStatement()) {
      for (String sql : view.settings(name, directory.resolve("empty.parquet").toString())) {
        statement.execute(sql);
      }
      return view;
    } catch (SQLException e) {
      view.close();
      throw e;
    }
  }

  private synchronized TableView take() {
    List<String> sealedFiles = new ArrayList<>();
    List<Stretch.Slice> slices = new ArrayList<>();
    for (Pending pending : tail) {
      if (pending.files == null) {
        slices.add(pending.stretch.slice());
      } else {
        pending.files.forEach(file -> sealedFiles.add(file.path()));
      }
    }
    return register(List.copyOf(committedFiles), sealedFiles, slices);
  }

  private TableView register(
      List<String> snapshot, List<String> sealedFiles, List<Stretch.Slice> slices) {
    long handle = handles.incrementAndGet();
    TableView view =
        new TableView(handle, snapshot, sealedFiles, slices, views::remove);
    views.put(handle, view);
    return view;
  }

  private List<? extends ChunkFunction.Chunk> chunksOf(long handle) {
    TableView view = views.get(handle);
    return view == null ? null : view.chunks();
  }

  /** Number of rows that queries see now. */
  public long rows() throws SQLException {
    try (DuckDBConnection own = Connections.another(connection);
        AutoCloseable view = show(own)) {
      return SqlRows.number(own, "SELECT count(*) FROM raw." + Catalog.quoted(name + "__rows"));
    } catch (SQLException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  // ---- what sinks do

  /** A sink for one subtask, which has not begun. */
  public IcebergFlowSink sink() {
    return new IcebergFlowSink(this);
  }

  String name() {
    return name;
  }

  FlowColumns columns() {
    return columns;
  }

  Limits limits() {
    return limits;
  }

  TailChunk.TextIds ids() {
    return ids;
  }

  /** Fencing token of the last rewind; 0 before the first. */
  public long token() {
    return token;
  }

  /** What the newest snapshot covers of the log. */
  public Frontier committed() {
    return committed;
  }

  /** Whether a snapshot had the rows of a value before they come from the log once more. */
  boolean isKnown(int partition, long offset) {
    return known.covers(partition, offset);
  }

  void check(long mine, String what) {
    if (mine != token) {
      throw FencingTokens.refused(name, what, mine, token);
    }
  }

  synchronized void add(IcebergFlowSink sink, long mine) {
    check(mine, "a writer");
    sinks.add(sink);
  }

  synchronized void remove(IcebergFlowSink sink) {
    sinks.remove(sink);
  }

  synchronized Pending begin(long mine, FlowPart part) {
    check(mine, "rows");
    Pending pending = new Pending(new Stretch(part, memory));
    tail.add(pending);
    return pending;
  }

  /** Waits while the rows in memory are too many, after all of them are on their way into files. */
  void makeRoom() {
    requireFiles();
    if (memory.isFull()) {
      List<IcebergFlowSink> all;
      synchronized (this) {
        all = List.copyOf(sinks);
      }
      all.forEach(IcebergFlowSink::endStretches);
      memory.await(() -> failure != null);
      requireFiles();
    }
  }

  private void requireFiles() {
    StoreException why = failure;
    if (why != null) {
      throw new StoreException(why.getMessage(), why);
    }
  }

  /** Begins to write a stretch that gets no more rows. */
  void write(Pending pending) {
    pending.written =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                List<StoredFile> stored = writeFiles(pending);
                replace(pending, stored);
                return stored;
              } catch (SQLException | IOException e) {
                failure =
                    new StoreException(
                        "cannot write rows of table " + name + ": " + e.getMessage(), e);
                memory.wake();
                throw failure;
              }
            },
            writing);
  }

  private List<StoredFile> writeFiles(Pending pending) throws SQLException, IOException {
    TableView rows;
    synchronized (this) {
      if (pending.isForgotten || pending.stretch.rows() == 0) {
        return List.of();
      }
      rows = register(List.of(), List.of(), List.of(pending.stretch.slice()));
    }
    try (rows) {
      return files.write(rows, pending.stretch, columns, table.schema());
    }
  }

  private synchronized void replace(Pending pending, List<StoredFile> stored) {
    if (pending.isForgotten) {
      stored.forEach(file -> deleteQuietly(Path.of(file.path())));
      return;
    }
    pending.files = stored;
    pending.stretch.free();
  }

  private static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      return; // in no snapshot, so nobody reads it
    }
  }

  synchronized void seal(long mine, long checkpoint, Frontier covered, List<Pending> rows) {
    check(mine, "a checkpoint");
    sealed
        .computeIfAbsent(checkpoint, id -> new ArrayList<>())
        .add(new Sealing(checkpoint, covered, rows, parts++));
  }

  /** Waits until all that was sealed would survive a power failure. */
  void sync(long mine) {
    List<Sealing> all = new ArrayList<>();
    synchronized (this) {
      check(mine, "a checkpoint");
      sealed.values().forEach(all::addAll);
    }
    all.forEach(sealing -> makeDurable(sealing, mine));
  }

  private void makeDurable(Sealing sealing, long mine) {
    synchronized (sealing) {
      if (!sealing.isDurable) {
        List<StoredFile> stored = new ArrayList<>();
        sealing.rows.forEach(rows -> stored.addAll(written(rows)));
        if (!stored.isEmpty()) {
          sealing.file =
              SealedPart.of(mine, sealing.checkpoint, sealing.covered, stored)
                  .write(sealedFolder(), sealing.number);
        }
        sealing.isDurable = true;
      }
    }
  }

  private static List<StoredFile> written(Pending rows) {
    try {
      return rows.written.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private Path sealedFolder() {
    return directory.resolve("sealed");
  }

  /**
   * Commits what was sealed for a complete checkpoint and for earlier ones, in one snapshot. A
   * second call for the same checkpoint changes nothing.
   */
  void commit(long mine, long checkpoint, Frontier covered) {
    List<Sealing> due = new ArrayList<>();
    synchronized (this) {
      check(mine, "a checkpoint");
      sealed.headMap(checkpoint, true).values().forEach(due::addAll);
    }
    due.forEach(sealing -> makeDurable(sealing, mine)); // a writing thread wants the lock
    synchronized (this) {
      check(mine, "a checkpoint");
      if (!sealed.headMap(checkpoint, true).isEmpty()) {
        commitSealed(mine, checkpoint, covered, due);
      }
    }
  }

  private void commitSealed(long mine, long checkpoint, Frontier covered, List<Sealing> due) {
    List<StoredFile> stored = new ArrayList<>();
    Frontier next = committed.union(covered);
    for (Sealing sealing : due) {
      next = next.union(sealing.covered);
      sealing.rows.forEach(rows -> stored.addAll(rows.files));
    }
    if (!stored.isEmpty()) {
      append(mine, checkpoint, next, stored);
    }
    committed = next;
    for (Sealing sealing : due) {
      sealing.rows.forEach(tail::remove);
      sealing.deleteFile();
    }
    sealed.headMap(checkpoint, true).clear();
  }

  private void append(long mine, long checkpoint, Frontier frontier, List<StoredFile> stored) {
    AppendFiles append = table.newAppend();
    stored.forEach(file -> append.appendFile(file.dataFile(table.schema(), table.spec())));
    append
        .set(TOKEN, Long.toString(mine))
        .set(CHECKPOINT, Long.toString(checkpoint))
        .set(FRONTIER, FrontierText.of(frontier))
        .commit();
    stored.forEach(file -> committedFiles.add(file.path()));
  }

  /**
   * Forgets all rows of no snapshot, but for those that a complete checkpoint covers: these are
   * committed now. The next rows are read from the log behind a checkpoint, or from earlier on:
   * what a snapshot has already is left out then.
   *
   * @param next greater than any token before
   * @param covered by the checkpoint
   * @return number of rows forgotten
   * @throws FencedException if the token is not greater; nothing is changed then
   */
  public synchronized long rewind(long next, Frontier covered) {
    if (next <= token) {
      throw new FencedException(
          "table %s refuses a rewind under token %d: it was rewound under %d already, by another"
                  .formatted(name, next, token)
              + " life of the job, or the clock of the machine that gives tokens was set back");
    }
    long forgotten = forgetTail();
    List<StoredFile> kept = new ArrayList<>();
    Frontier reached = committed;
    Set<String> inSnapshot = new HashSet<>(committedFiles);
    Map<Path, SealedPart> left = SealedPart.read(sealedFolder());
    for (SealedPart part : left.values()) {
      if (part.files().stream().allMatch(file -> inSnapshot.contains(file.path()))) {
        continue; // its commit came through
      }
      if (part.isWithin(covered)) {
        kept.addAll(part.files());
        reached = reached.union(part.frontier());
      } else {
        part.files().forEach(file -> deleteQuietly(Path.of(file.path())));
      }
    }
    append(next, 0, reached, kept);
    left.keySet().forEach(IcebergFlowTable::deleteQuietly);
    committed = reached;
    token = next;
    known = reached;
    failure = null;
    return forgotten;
  }

  private long forgetTail() {
    long rows = 0;
    for (Pending pending : tail) {
      pending.isForgotten = true;
      if (pending.files == null) {
        rows += pending.stretch.rows();
        pending.stretch.free();
      } else {
        rows += pending.files.stream().mapToLong(StoredFile::rows).sum();
      }
    }
    tail.clear();
    sealed.clear();
    sinks.clear();
    return rows;
  }

  /**
   * Begins another epoch of the log, after the log lost values or was replaced. All rows are kept;
   * those that the log gives once more in the new epoch are left out.
   *
   * @param from first offset that comes again, by partition number of the earlier epoch
   * @param until first offset that was lost
   * @param begin where the new epoch begins, by its partition numbers
   */
  public synchronized void beginEpoch(Frontier from, Frontier until, Frontier begin) {
    if (committed.epoch() >= begin.epoch()) {
      return;
    }
    rewind(token + 1, from);
    Map<Integer, Long> next = new TreeMap<>(begin.next());
    int epoch = begin.epoch();
    committed
        .next()
        .forEach(
            (partition, offset) -> {
              if (io.millrace.wire.block.LogPartition.epoch(partition) == committed.epoch()
                  && !io.millrace.wire.block.LogPartition.isImported(partition)) {
                next.merge(
                    io.millrace.wire.block.LogPartition.of(
                        io.millrace.wire.block.LogPartition.partition(partition), epoch),
                    Math.min(offset, until.next(partition)),
                    Math::max);
              }
            });
    Frontier reached = committed.union(new Frontier(next));
    append(token, 0, reached, List.of());
    committed = reached;
    known = reached;
  }

  @Override
  public void close() {
    writing.shutdownNow();
    synchronized (this) {
      var unused = forgetTail();
    }
    try {
      connection.close();
    } catch (SQLException e) {
      throw new StoreException("cannot close the table " + name + ": " + e.getMessage(), e);
    }
  }
}
