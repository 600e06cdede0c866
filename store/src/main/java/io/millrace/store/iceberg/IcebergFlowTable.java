package io.millrace.store.iceberg;

import io.millrace.store.FencedException;
import io.millrace.store.FlowSchema;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.StoredRetention;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.offsets.FencingTokens;
import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.parquet.ParquetImport;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sums.SealedSums;
import io.millrace.store.duckdb.sums.StretchSums;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LogPartition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.iceberg.Schema;
import org.duckdb.ChunkFunction;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table of flows as an Iceberg table, and the rows that it does not have yet.
 *
 * <p>A sink's rows are in memory until they are a million, or a checkpoint seals them; then they
 * become files. The completion of the checkpoint commits all files that were sealed for it in one
 * snapshot, with the position in the log that it covers. Rows are never deleted one by one: after a
 * failure the rows of no snapshot are forgotten, and rows that the log gives once more although a
 * snapshot has them are left out.
 *
 * <p>A query sees each row once at any moment ({@link #show}): a row changes from memory to a file,
 * and from a sealed file to a snapshot, in one step.
 *
 * <p>One process opens a table for writing. Thread-safe.
 */
public final class IcebergFlowTable implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IcebergFlowTable.class);

  /** Tables opened by this process: a database keeps a function until it is closed. */
  private static final AtomicLong OPENED = new AtomicLong();

  /**
   * Settings.
   *
   * @param stretchRows rows that become a file before their checkpoint
   * @param tailBytes most memory of rows without a file
   * @param snapshotAge how long readers may use a snapshot after the next one; its files that no
   *     later one has are deleted then
   */
  public record Limits(int stretchRows, long tailBytes, Duration snapshotAge) {
    /** A million rows, and a quarter of an hour. */
    public static Limits of(long tailBytes) {
      return new Limits(1_000_000, tailBytes, Duration.ofMinutes(15));
    }
  }

  private final String name;
  private final Path directory;
  private final Path empty;
  private final DuckDBConnection connection;
  private final String function;

  /** Held while a snapshot is made, so that only one is; taken before this. */
  private final Object commits = new Object();

  /** Changed with {@link #commits}; read with this, or with those. */
  private final TableSnapshots snapshots;

  private final Schema icebergSchema;
  private final FlowColumns columns;
  private final Limits limits;
  private final SealedSums sums;
  private final StretchWriter writer;
  private final StretchWriter.Target written = new Written();

  /** Of rows that other processes write to files: these must not be what sinks wait for. */
  private final TailMemory filedMemory;

  private final TextIds ids;
  private final TableCompaction compaction;
  private final TailViews views = new TailViews();

  private volatile long token;
  private volatile Frontier committed = Frontier.EMPTY;

  /**
   * What snapshots had when the table was opened, or at the last rewind: rows of it may come again,
   * and are left out.
   */
  private volatile Frontier known = Frontier.EMPTY;

  // Guarded by this.
  private final Set<PendingRows> tail = new LinkedHashSet<>();

  private final TreeMap<Long, List<Sealing>> sealed = new TreeMap<>();
  private final Set<TableSink> sinks = new HashSet<>();
  private final List<PendingRows> unsealed = new ArrayList<>();
  private long parts;
  private long newestAppended = Long.MIN_VALUE;
  private FileTerms terms; // null until a writer in another process asks

  /** What a sink has sealed at a checkpoint. */
  private static final class Sealing {
    private final TableSink sink; // null for rows of several
    private final long checkpoint;
    private final Frontier covered;
    private final List<PendingRows> rows;
    private final long number;
    private boolean isDurable; // guarded by this
    private Path file; // guarded by this; null without anything new

    Sealing(
        TableSink sink, long checkpoint, Frontier covered, List<PendingRows> rows, long number) {
      this.sink = sink;
      this.checkpoint = checkpoint;
      this.covered = covered;
      this.rows = rows;
      this.number = number;
    }

    private synchronized void deleteFile() {
      if (file != null) {
        StretchWriter.deleteQuietly(file);
      }
    }
  }

  /**
   * Opens the table of a directory, or creates one. Columns of the schema that are missing are
   * added.
   *
   * @param connection of the database in which rows become files and views are made
   * @param ids gives texts the ids that are stored
   * @param isShared whether sinks of other processes may come: fencing tokens are kept then;
   *     otherwise any token is greater than those before
   * @param isDiskFull whether rows have to wait in memory
   * @throws WrongSchemaException if a column of that name has another type
   */
  public static IcebergFlowTable open(
      Path directory,
      String name,
      FlowSchema schema,
      DuckDBConnection connection,
      TextIds ids,
      Limits limits,
      boolean isShared,
      BooleanSupplier isDiskFull)
      throws SQLException {
    return new IcebergFlowTable(
        directory, name, schema, connection, ids, limits, isShared, isDiskFull);
  }

  private IcebergFlowTable(
      Path directory,
      String name,
      FlowSchema schema,
      DuckDBConnection connection,
      TextIds ids,
      Limits limits,
      boolean isShared,
      BooleanSupplier isDiskFull)
      throws SQLException {
    this.directory = directory.toAbsolutePath().normalize();
    empty = this.directory.resolve("empty.parquet");
    this.name = name;
    snapshots = TableSnapshots.open(directory, name, schema, limits.snapshotAge(), this);
    columns = snapshots.columns();
    icebergSchema = snapshots.schema();
    this.ids = ids;
    this.limits = limits;
    this.connection = Connections.another(connection);
    function = "millrace_tail_" + name + "_" + OPENED.incrementAndGet();
    filedMemory = new TailMemory(columns, limits.tailBytes(), ByteBuffer::allocateDirect);
    sums = new SealedSums(name, columns.forScans(), sumBytes(limits));
    writer =
        new StretchWriter(
            name,
            columns,
            icebergSchema,
            new TailMemory(columns, limits.tailBytes(), ByteBuffer::allocateDirect),
            views,
            new StretchFiles(
                this.directory,
                this.directory.resolve("tmp"),
                StoreConfig.encodingBytes(),
                columns.forScans(),
                views::chunks),
            sums::sum,
            isDiskFull,
            threads("store-files-", Thread.NORM_PRIORITY - 1));
    compaction =
        new TableCompaction(
            threads("store-compaction-", Thread.MIN_PRIORITY), this::compact, isDiskFull);
    ChunkFunction.register(this.connection, function, columns.forScans(), views::chunks);
    token = isShared ? snapshots.token() : 0;
    committed = snapshots.frontier();
    known = committed;
    try {
      makeViews();
    } catch (SQLException | RuntimeException e) {
      writer.close();
      throw e;
    }
    deleteOrphans();
  }

  private static long sumBytes(Limits limits) {
    return Math.min(limits.tailBytes(), Runtime.getRuntime().maxMemory() / 8);
  }

  @SuppressWarnings("ThreadPriorityCheck") // correct without it; rows that arrive go first with it
  private ThreadFactory threads(String prefix, int priority) {
    return task -> {
      Thread thread = new Thread(task, prefix + name);
      thread.setDaemon(true);
      thread.setPriority(priority);
      return thread;
    };
  }

  // ---- what queries see

  private void makeViews() throws SQLException {
    List<String> statements =
        new FlowViews(name, columns, icebergSchema, function).statements(empty);
    try (RowsView shown = show(connection);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /**
   * Makes the views of a connection show the table as it is now, until the next call.
   *
   * @return to be closed when the query has ended
   */
  public RowsView show(DuckDBConnection queries) throws SQLException {
    Map<FlowPart, List<TableView.ReadFile>> all;
    List<Stretch.Slice> slices = new ArrayList<>();
    long removedBefore;
    synchronized (this) {
      all = snapshots.readFiles();
      for (PendingRows pending : tail) {
        if (pending.files == null) {
          slices.add(pending.stretch.slice());
        } else {
          List<TableView.ReadFile> its = all.get(pending.stretch.part());
          pending.files.forEach(
              file -> its.add(new TableView.ReadFile(file.path(), file.extent(), false)));
        }
      }
      removedBefore = snapshots.removed().beforeMicros();
    }
    return new TableView(this, queries, all, slices, removedBefore);
  }

  /** The same for the rows that a snapshot has. */
  public RowsView showCommitted(DuckDBConnection queries) throws SQLException {
    Map<FlowPart, List<TableView.ReadFile>> all;
    long removedBefore;
    synchronized (this) {
      all = snapshots.readFiles();
      removedBefore = snapshots.removed().beforeMicros();
    }
    return new TableView(this, queries, all, List.of(), removedBefore);
  }

  /** A file without rows. */
  String emptyFile() {
    return empty.toString();
  }

  /** Makes the table function give some rows. */
  TailView register(List<Stretch.Slice> slices) {
    return views.register(slices);
  }

  /** Number of rows that queries see now. */
  public synchronized long rows() {
    long rows = snapshots.rows();
    for (PendingRows pending : tail) {
      rows += pending.rows();
    }
    return rows;
  }

  /** Arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} if there is none. */
  public synchronized long oldest() {
    long oldest = snapshots.oldest();
    for (PendingRows pending : tail) {
      oldest = Math.min(oldest, pending.bounds().oldest());
    }
    return oldest;
  }

  /** Arrival of the newest row, microseconds; {@link Long#MIN_VALUE} if there is none. */
  public synchronized long newest() {
    long newest = Math.max(newestAppended, snapshots.newest());
    for (PendingRows pending : tail) {
      newest = Math.max(newest, pending.bounds().newest());
    }
    return newest;
  }

  /** Arrival of the newest row that this process has appended; as {@link #newest}. */
  public synchronized long newestAppended() {
    for (PendingRows pending : tail) {
      newestAppended = Math.max(newestAppended, pending.bounds().newest());
    }
    return newestAppended;
  }

  /** The newest snapshot; empty before the first. */
  public synchronized Optional<TableVersion> version() {
    return snapshots.version();
  }

  /** Number of the snapshot's files. */
  synchronized int files() {
    return snapshots.files();
  }

  /** Sums of committed rows. */
  public SealedSums sums() {
    return sums;
  }

  /** Bytes of the data files. */
  public synchronized long bytes() {
    return snapshots.bytes();
  }

  /** What sealed files that no snapshot has cover of the log. */
  public Frontier sealed() {
    return sealedParts().values().stream()
        .map(SealedPart::frontier)
        .reduce(Frontier.EMPTY, Frontier::union);
  }

  // ---- retention

  /** Rows that were removed. */
  public synchronized StoredRetention removed() {
    return snapshots.removed();
  }

  /**
   * Removes the files of all hours before a time. Their bytes are free when no query can read them
   * any more.
   *
   * @param kept files that may have rows of this range stay
   * @return number of rows removed
   */
  public long remove(long beforeMicros, LogRange kept) {
    synchronized (commits) {
      return committing(() -> snapshots.remove(beforeMicros, kept));
    }
  }

  /** Whether a failed commit has happened is read from the table. */
  private <T> T committing(Supplier<T> commit) {
    try {
      return commit.get();
    } catch (RuntimeException e) {
      try {
        snapshots.reload();
      } catch (RuntimeException unreadable) {
        e.addSuppressed(unreadable);
      }
      throw e;
    }
  }

  /** Files that a process left which ended while it wrote them. */
  private void deleteOrphans() {
    Set<String> sealedFiles = new HashSet<>();
    sealedParts()
        .values()
        .forEach(part -> part.files().forEach(file -> sealedFiles.add(file.path())));
    try {
      snapshots.deleteOrphans(data(), sealedFiles);
    } catch (IOException e) {
      LOG.warn("cannot delete unused files of table {}: {}", name, e.getMessage());
    }
  }

  /**
   * Merges small files of one hour into one, if there are enough of them: in a snapshot that
   * replaces them. Queries that read them go on.
   *
   * @return whether it merged some
   */
  public boolean compact() {
    TableSnapshots.Merge merge;
    synchronized (this) {
      merge = snapshots.nextMerge(limits.stretchRows());
    }
    if (merge == null) {
      return false;
    }
    StoredFile merged;
    try {
      merged =
          writer.files().merge(merge.paths(), merge.part(), merge.hour(), columns, icebergSchema);
    } catch (SQLException | IOException e) {
      throw new StoreException("cannot merge files of table " + name + ": " + e.getMessage(), e);
    }
    synchronized (commits) {
      if (!committing(() -> snapshots.replace(merge, merged))) {
        StretchWriter.deleteQuietly(Path.of(merged.path())); // retention was faster
      }
      return true;
    }
  }

  // ---- what sinks do

  /** A sink for one subtask, which has not begun. */
  public IcebergFlowSink sink() {
    return new IcebergFlowSink(this);
  }

  /** A sink whose rows another process writes to files. */
  public FiledSink filedSink() {
    return new FiledSink(this);
  }

  /** What another process needs to write files of this table, for {@link TableFiles}. */
  public synchronized String terms() {
    if (terms == null) {
      terms = FileTerms.of(name, directory, icebergSchema, sums.plan());
    }
    return terms.json();
  }

  /** Folder of the files. */
  Path data() {
    return directory.resolve("data");
  }

  /** What snapshots had at the last rewind. */
  Frontier known() {
    return known;
  }

  public String name() {
    return name;
  }

  /** Columns of the wire, and those added by data sets now or earlier. */
  public FlowSchema schema() {
    return columns.schema();
  }

  FlowColumns columns() {
    return columns;
  }

  Limits limits() {
    return limits;
  }

  TextIds ids() {
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
      throw FencingTokens.rejected(name, what, mine, token);
    }
  }

  synchronized void add(TableSink sink, long mine) {
    check(mine, "a writer");
    sinks.add(sink);
  }

  /**
   * Removes a sink.
   *
   * @param rows that it has not sealed
   * @param isKept whether these go with the next seal of all sinks; otherwise they are dropped
   */
  synchronized void remove(TableSink sink, List<PendingRows> rows, boolean isKept) {
    if (!sinks.remove(sink)) {
      return; // a rewind has dropped all
    }
    if (isKept) {
      unsealed.addAll(rows);
    } else {
      rows.forEach(this::drop);
    }
  }

  /** Forgets rows that were not sealed; after a rewind it has forgotten them already. */
  synchronized void drop(PendingRows rows) {
    if (!rows.isForgotten) {
      forget(rows);
      if (rows.files != null) {
        rows.files.forEach(file -> StretchWriter.deleteQuietly(Path.of(file.path())));
      }
    }
  }

  private void forget(PendingRows rows) {
    rows.isForgotten = true;
    if (rows.files == null) {
      rows.stretch.free();
    }
    tail.remove(rows);
  }

  PendingRows begin(long mine, FlowPart part) {
    return begin(mine, writer.begin(part));
  }

  /** Begins rows that another process writes to files. */
  PendingRows beginFiled(long mine, FlowPart part) {
    return begin(mine, new Stretch(part, filedMemory));
  }

  private synchronized PendingRows begin(long mine, Stretch stretch) {
    check(mine, "rows");
    PendingRows pending = new PendingRows(stretch);
    tail.add(pending);
    return pending;
  }

  /** Whether there is memory for more rows that another process writes to files. */
  boolean hasRoomForFiled() {
    return !filedMemory.isFull();
  }

  /** Waits while the rows in memory are too many, after all of them are on their way into files. */
  void makeRoom() {
    writer.makeRoom(
        () -> {
          List<TableSink> all;
          synchronized (this) {
            all = List.copyOf(sinks);
          }
          all.forEach(TableSink::endStretches);
        });
  }

  /** Begins to write a stretch that gets no more rows. */
  void write(PendingRows pending) {
    writer.write(pending, written);
  }

  /** Puts files in the place of rows in memory. */
  private final class Written implements StretchWriter.Target {
    @Override
    public boolean isWanted(PendingRows rows) {
      synchronized (IcebergFlowTable.this) {
        return !rows.isForgotten;
      }
    }

    @Override
    public Stretch.Slice slice(PendingRows rows) {
      synchronized (IcebergFlowTable.this) {
        return rows.isForgotten || rows.stretch.rows() == 0 ? null : rows.stretch.slice();
      }
    }

    @Override
    public void written(PendingRows rows, List<StoredFile> stored, StretchSums made) {
      replace(rows, stored, made);
    }
  }

  /** Puts files in the place of rows in memory, for all queries from now on. */
  synchronized void replace(PendingRows pending, List<StoredFile> stored, StretchSums made) {
    if (pending.isForgotten) {
      stored.forEach(file -> StretchWriter.deleteQuietly(Path.of(file.path())));
      return;
    }
    pending.files = stored;
    pending.sums = made == null || hasRoom(made) ? made : null;
    pending.stretch.free();
  }

  private boolean hasRoom(StretchSums more) {
    long bytes = more.bytes();
    for (PendingRows pending : tail) {
      bytes += pending.sums == null ? 0 : pending.sums.bytes();
    }
    return bytes <= sums.mostBytes();
  }

  synchronized void seal(
      TableSink sink, long checkpoint, Frontier covered, List<PendingRows> rows) {
    check(sink.token(), "a checkpoint");
    seal(new Sealing(sink, checkpoint, covered, rows, parts++));
  }

  private void seal(Sealing sealing) {
    sealed.computeIfAbsent(sealing.checkpoint, id -> new ArrayList<>()).add(sealing);
  }

  /** Seals the rows of all sinks, which append nothing meanwhile. */
  void sealAll(long checkpoint, Frontier covered) {
    List<TableSink> all;
    synchronized (this) {
      all = List.copyOf(sinks);
    }
    all.forEach(sink -> sink.seal(checkpoint, covered));
    synchronized (this) {
      seal(new Sealing(null, checkpoint, covered, List.copyOf(unsealed), parts++));
      unsealed.clear();
    }
  }

  /** Waits until all that a sink has sealed would survive a power failure. */
  void sync(TableSink sink) {
    long mine = sink.token();
    List<Sealing> own = new ArrayList<>();
    synchronized (this) {
      check(mine, "a checkpoint");
      for (List<Sealing> all : sealed.values()) {
        all.stream().filter(sealing -> sealing.sink == sink).forEach(own::add);
      }
    }
    own.forEach(sealing -> makeDurable(sealing, mine));
  }

  private void makeDurable(Sealing sealing, long mine) {
    synchronized (sealing) {
      if (!sealing.isDurable) {
        List<StoredFile> stored = new ArrayList<>();
        sealing.rows.forEach(rows -> stored.addAll(rows.awaitFiles()));
        // values without rows have counters, and are covered all the same
        if (!stored.isEmpty() || !committed.union(sealing.covered).equals(committed)) {
          sealing.file =
              SealedPart.of(mine, sealing.checkpoint, sealing.covered, stored)
                  .write(sealedFolder(), sealing.number);
        }
        sealing.isDurable = true;
      }
    }
  }

  private Map<Path, SealedPart> sealedParts() {
    Map<Path, SealedPart> parts = SealedPart.read(sealedFolder());
    parts.replaceAll((file, part) -> part.in(data()));
    return parts;
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
    synchronized (commits) {
      synchronized (this) {
        check(mine, "a checkpoint");
        due.removeIf( // what another sink has committed meanwhile
            sealing -> !sealed.getOrDefault(sealing.checkpoint, List.of()).contains(sealing));
      }
      if (!due.isEmpty()) {
        commitSealed(mine, checkpoint, covered, due);
      }
    }
    due.forEach(Sealing::deleteFile);
  }

  private void commitSealed(long mine, long checkpoint, Frontier covered, List<Sealing> due) {
    List<StoredFile> stored = new ArrayList<>();
    Frontier union = committed.union(covered);
    for (Sealing sealing : due) {
      union = union.union(sealing.covered);
      sealing.rows.forEach(rows -> stored.addAll(rows.files));
    }
    Frontier next = union;
    if (!stored.isEmpty() || !next.equals(committed)) {
      // rows outside of checkpoints, which have the number 0, are committed among others
      long newest = snapshots.token() == mine ? snapshots.checkpoint() : 0;
      append(mine, Math.max(newest, checkpoint), next, stored, () -> committed(due, next));
    } else {
      committed(due, next);
    }
  }

  /** The rows are in a snapshot from now on, and no longer in the tail. */
  private synchronized void committed(List<Sealing> due, Frontier next) {
    List<StretchSums> made = new ArrayList<>();
    for (Sealing sealing : due) {
      for (PendingRows rows : sealing.rows) {
        newestAppended = Math.max(newestAppended, rows.bounds().newest());
        if (rows.rows() > 0) {
          made.add(rows.sums);
        }
        tail.remove(rows);
      }
      sealed.computeIfPresent(
          sealing.checkpoint,
          (id, all) -> {
            all.remove(sealing);
            return all.isEmpty() ? null : all;
          });
    }
    sums.committed(new LogRange(committed, next), made);
    committed = next;
  }

  private void append(
      long mine, long checkpoint, Frontier frontier, List<StoredFile> stored, Runnable alongside) {
    var unused =
        committing(
            () -> {
              snapshots.append(mine, checkpoint, frontier, stored, alongside);
              return true;
            });
  }

  /**
   * Drops all uncommitted rows, except those that a complete checkpoint covers: these are committed
   * now. The log is then read again from the checkpoint, or from an older one; rows that a snapshot
   * already has are skipped.
   *
   * @param next greater than any token before
   * @param covered by the checkpoint
   * @return number of rows forgotten
   * @throws FencedException if the token is not greater; nothing is changed then
   */
  public long rewind(long next, Frontier covered) {
    synchronized (commits) {
      return rewindAlone(next, covered);
    }
  }

  private synchronized long rewindAlone(long next, Frontier covered) {
    if (next <= token) {
      throw new FencedException(
          "table %s rejects a rewind under token %d: it was rewound under %d already, by another"
                  .formatted(name, next, token)
              + " life of the job, or the clock of the machine that gives tokens was set back");
    }
    Set<String> unused = new HashSet<>();
    for (PendingRows pending : tail) {
      if (pending.files != null) {
        pending.files.forEach(file -> unused.add(file.path()));
      }
    }
    long forgotten = forgetTail();
    snapshots.reload(); // the answer to a commit may have been lost
    List<StoredFile> kept = new ArrayList<>();
    Frontier reached = committed.union(snapshots.frontier());
    Map<Path, SealedPart> left = sealedParts();
    for (SealedPart part : left.values()) {
      boolean isSettled = // committed, or by a later rewind
          part.token() != snapshots.token() || part.checkpoint() <= snapshots.checkpoint();
      if (!isSettled && part.isWithin(covered)) {
        kept.addAll(part.files());
        reached = reached.union(part.frontier());
      } else if (!isSettled) {
        part.files().forEach(file -> unused.add(file.path()));
      }
    }
    append(next, 0, reached, kept, () -> {});
    left.keySet().forEach(StretchWriter::deleteQuietly);
    kept.forEach(file -> unused.remove(file.path()));
    unused.removeAll(snapshots.paths());
    unused.forEach(file -> StretchWriter.deleteQuietly(Path.of(file)));
    committed = reached;
    token = next;
    known = reached;
    writer.resume();
    return forgotten;
  }

  private long forgetTail() {
    long rows = 0;
    for (PendingRows pending : List.copyOf(tail)) {
      rows += pending.rows();
      forget(pending);
    }
    unsealed.clear();
    sealed.clear();
    sinks.clear();
    return rows;
  }

  /**
   * Begins a later epoch of the log, after the log lost values or was replaced. All rows are kept;
   * those that the log gives once more in the new epoch are left out.
   *
   * @param read what the job's checkpoint covers, by partition number of the earlier epoch
   * @param until first offset that was lost
   * @param begin where the new epoch begins, by its partition numbers
   */
  public void beginEpoch(Frontier read, Frontier until, Frontier begin) {
    synchronized (commits) {
      beginEpochAlone(read, until, begin);
    }
  }

  private synchronized void beginEpochAlone(Frontier read, Frontier until, Frontier begin) {
    var unused = rewindAlone(token + 1, read);
    Map<Integer, Long> next = new TreeMap<>(begin.next());
    int epoch = begin.epoch();
    committed
        .next()
        .forEach(
            (partition, offset) -> {
              if (LogPartition.epoch(partition) == committed.epoch()
                  && !LogPartition.isImported(partition)) {
                next.merge(
                    LogPartition.of(LogPartition.partition(partition), epoch),
                    Math.min(offset, until.next(partition)),
                    Math::max);
              }
            });
    Frontier reached = committed.union(new Frontier(next));
    append(token, 0, reached, List.of(), () -> {});
    committed = reached;
    known = reached;
  }

  /**
   * Adds the prepared rows of a file in one snapshot.
   *
   * @param rows to which nobody else gives positions meanwhile
   */
  void add(DuckDBConnection own, ParquetImport rows) throws SQLException, IOException {
    Frontier reached = rows.place(committed);
    List<StoredFile> stored = new ArrayList<>();
    try (Statement statement = own.createStatement()) {
      for (FlowPart part : FlowPart.values()) {
        String select = rows.select(part, FlowLayout.of(part, columns.schema()));
        stored.addAll(writer.files().write(statement, select, part, columns, icebergSchema));
      }
    }
    synchronized (commits) {
      Frontier next = committed.union(reached);
      append(snapshots.token(), snapshots.checkpoint(), next, stored, () -> committed = next);
    }
  }

  /**
   * Arrival of the newest row that is no longer after those before than a gap allows, where the
   * last files and stretches until a time are apart from all others; that of the newest until then
   * otherwise; {@link Long#MIN_VALUE} if there is none. Microseconds.
   */
  synchronized long newestUntil(long until, long gapMicros) {
    List<RowExtent> extents = new ArrayList<>();
    snapshots
        .readFiles()
        .values()
        .forEach(part -> part.forEach(file -> extents.add(file.extent())));
    for (PendingRows pending : tail) {
      if (pending.rows() > 0) {
        extents.add(pending.bounds());
      }
    }
    extents.removeIf(extent -> extent.oldest() > until);
    extents.sort(Comparator.comparingLong(RowExtent::newest).reversed());
    long newest = Long.MIN_VALUE;
    long first = Long.MAX_VALUE;
    for (RowExtent extent : extents) {
      if (first == Long.MAX_VALUE) {
        newest = Math.min(until, extent.newest());
      } else if (first - extent.newest() > gapMicros) {
        return extent.newest();
      }
      first = Math.min(first, extent.oldest());
    }
    return newest;
  }

  /** Does something while no snapshot is made. */
  public void betweenCommits(BackupStep step) throws IOException {
    synchronized (commits) {
      step.run();
    }
  }

  /** Part of a backup. */
  @FunctionalInterface
  public interface BackupStep {
    /** Does it. */
    void run() throws IOException;
  }

  /** Links the newest snapshot's files into another directory, {@link #betweenCommits}. */
  public void link(Path to) throws IOException {
    snapshots.link(directory, to);
  }

  /** Makes linked files a table of their own. */
  public void finishBackup(Path to) {
    snapshots.finishBackup(to);
  }

  /** Merges small files in the background from now on. */
  public void startCompaction() {
    compaction.start();
  }

  @Override
  public void close() {
    ExecutorService merging = compaction.stop();
    writer.shutDown();
    writer.awaitEnd(merging);
    writer.close();
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
