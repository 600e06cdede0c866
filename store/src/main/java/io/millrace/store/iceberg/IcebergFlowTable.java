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
import io.millrace.store.duckdb.sums.BufferSums;
import io.millrace.store.duckdb.sums.SealedSums;
import io.millrace.store.storage.TableStorage;
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
 * A table of flows: an Iceberg table, and the tail, which are the rows that no snapshot contains.
 *
 * <p>A sink buffers rows in memory. They are written to files when there are a million of them, or
 * when a checkpoint seals them. When the checkpoint completes, all files sealed for it are
 * committed in one snapshot, with the frontier that it covers. Rows are never deleted individually:
 * after a failure the tail is discarded, and rows that the log replays although a snapshot contains
 * them are skipped.
 *
 * <p>A query sees each row exactly once ({@link #show}): a row moves from memory to a file, and
 * from a sealed file to a snapshot, atomically.
 *
 * <p>Only one process may open a table for writing. Thread-safe.
 */
public final class IcebergFlowTable implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IcebergFlowTable.class);

  /** Makes function names unique: a database keeps a function until it is closed. */
  private static final AtomicLong OPENED = new AtomicLong();

  /**
   * Settings.
   *
   * @param bufferRows rows after which a buffer is written without waiting for a checkpoint
   * @param tailBytes maximum memory for rows not yet in files
   * @param snapshotAge how long a snapshot is kept after it is replaced; then files that no other
   *     snapshot contains are deleted
   */
  public record Limits(int bufferRows, long tailBytes, Duration snapshotAge) {
    /** A million rows and 15 minutes. */
    public static Limits of(long tailBytes) {
      return new Limits(1_000_000, tailBytes, SnapshotRetention.AGE);
    }
  }

  private final String name;
  private final TableStorage storage;
  private final Path directory;
  private final Path empty;
  private final DuckDBConnection connection;
  private final String function;

  /** Held while a snapshot is committed; acquired before the monitor of this. */
  private final Object commits = new Object();

  /** Changed with {@link #commits} and the monitor of this held; read with one of them held. */
  private final TableSnapshots snapshots;

  private final Schema icebergSchema;
  private final FlowColumns columns;
  private final Limits limits;
  private final SealedSums sums;
  private final RowBufferWriter writer;
  private final RowBufferWriter.Target written = new Written();

  private final TailMemory memory;

  /**
   * For rows that other processes write to files, which are freed only when these report the files.
   * Separate from the writer's memory, so that no sink waits for another process.
   */
  private final TailMemory externalMemory;

  private final TextIds ids;
  private final TableCompaction compaction;
  private final TailViews views = new TailViews();

  private volatile long token;
  private volatile Frontier committed = Frontier.EMPTY;

  /**
   * Log coverage of the snapshots when the table was opened or last rewound. The log may replay
   * rows within it, which are skipped.
   */
  private volatile Frontier known = Frontier.EMPTY;

  // Guarded by this.
  private final Tail tail;
  private final Set<TableSink> sinks = new HashSet<>();
  private TableDescriptor descriptor; // null until a writer in another process requests it

  /**
   * Opens the table in a directory, or creates it, and adds missing columns.
   *
   * @param storage of the table's files
   * @param connection to the database in which the views are created
   * @param ids replaces ids of texts by the stored ones
   * @param isShared whether other processes may write to the table. If so, the fencing token of the
   *     last run stays in force; otherwise the first rewind may use any token above 0
   * @param isDiskFull true while rows must stay in memory
   * @throws WrongSchemaException if a column is stored with another type than declared
   */
  public static IcebergFlowTable open(
      TableStorage storage,
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
        storage, directory, name, schema, connection, ids, limits, isShared, isDiskFull);
  }

  private IcebergFlowTable(
      TableStorage storage,
      Path directory,
      String name,
      FlowSchema schema,
      DuckDBConnection connection,
      TextIds ids,
      Limits limits,
      boolean isShared,
      BooleanSupplier isDiskFull)
      throws SQLException {
    this.storage = storage;
    this.directory = directory.toAbsolutePath().normalize();
    empty = this.directory.resolve("empty.parquet");
    this.name = name;
    tail = new Tail(this::delete);
    snapshots = TableSnapshots.open(storage, directory, name, schema, limits.snapshotAge(), this);
    columns = snapshots.columns();
    icebergSchema = snapshots.schema();
    this.ids = ids;
    this.limits = limits;
    this.connection = Connections.another(connection);
    function = "millrace_tail_" + name + "_" + OPENED.incrementAndGet();
    long tail = limits.tailBytes();
    long held = StoreConfig.heldBytes();
    memory = new TailMemory(columns, tail, held, ByteBuffer::allocateDirect);
    externalMemory = new TailMemory(columns, tail, held, ByteBuffer::allocateDirect);
    sums = new SealedSums(name, columns.forScans(), sumBytes(limits));
    writer =
        new RowBufferWriter(
            name,
            columns,
            icebergSchema,
            memory,
            views,
            new ParquetWriter(
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
            threads("store-compaction-", Thread.MIN_PRIORITY),
            () -> {
              memory.trim();
              externalMemory.trim();
            },
            this::compact,
            isDiskFull);
    token = isShared ? snapshots.token() : 0;
    committed = snapshots.frontier();
    known = committed;
    try {
      ChunkFunction.register(this.connection, function, columns.forScans(), views::chunks);
      makeViews();
      deleteOrphans();
    } catch (SQLException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private static long sumBytes(Limits limits) {
    return Math.min(limits.tailBytes(), Runtime.getRuntime().maxMemory() / 8);
  }

  @SuppressWarnings("ThreadPriorityCheck") // only a hint: prefer threads that append rows
  private ThreadFactory threads(String prefix, int priority) {
    return task -> {
      Thread thread = new Thread(task, prefix + name);
      thread.setDaemon(true);
      thread.setPriority(priority);
      return thread;
    };
  }

  // ---- queries

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
   * Makes the views of a connection show the table as of now, until the next call for the
   * connection.
   *
   * @return to be closed after the query
   */
  public RowsView show(DuckDBConnection queries) throws SQLException {
    List<RowBuffer.Slice> slices = new ArrayList<>();
    Stored stored = stored(slices);
    return new TableView(this, queries, stored.files, slices, stored.removedBefore, () -> {});
  }

  /**
   * Like {@link #show}, for a statement that takes long and reads only rows that arrived in a range
   * of time. Those in memory are written to files first, which are deleted after the statement, so
   * that it does not keep their memory.
   *
   * @param from start of the range, microseconds
   * @param to end of the range, microseconds, exclusive
   * @throws StoreException if the files cannot be written
   */
  public RowsView showInFiles(DuckDBConnection queries, long from, long to) throws SQLException {
    List<RowBuffer.Slice> slices = new ArrayList<>();
    Stored stored = stored(slices);
    List<Path> copies = new ArrayList<>();
    Runnable deletion = () -> copies.forEach(RowBufferWriter::deleteQuietly);
    try {
      for (RowBuffer.Slice slice : slices) {
        if (slice.extent().mayHave(from, to)) {
          Path copy = writer.copy(slice);
          copies.add(copy);
          stored
              .files
              .get(slice.of().part())
              .add(new TableView.ReadFile(copy.toString(), slice.extent(), false));
        }
      }
    } catch (SQLException | IOException e) {
      deletion.run();
      throw new StoreException("cannot write rows of table " + name + ": " + e.getMessage(), e);
    } catch (RuntimeException e) {
      deletion.run();
      throw e;
    } finally {
      slices.forEach(RowBuffer.Slice::close);
    }
    return new TableView(this, queries, stored.files, List.of(), stored.removedBefore, deletion);
  }

  /**
   * Rows as of one moment.
   *
   * @param files by part
   */
  private record Stored(Map<FlowPart, List<TableView.ReadFile>> files, long removedBefore) {}

  /**
   * The rows in files.
   *
   * @param slices receives those in memory, to be closed by the caller
   */
  private synchronized Stored stored(List<RowBuffer.Slice> slices) {
    Map<FlowPart, List<TableView.ReadFile>> files = snapshots.readFiles();
    tail.addTo(files, slices);
    return new Stored(files, snapshots.removed().beforeMicros());
  }

  /** Like {@link #show}, with the rows of the newest snapshot only. */
  public RowsView showCommitted(DuckDBConnection queries) throws SQLException {
    Stored stored;
    synchronized (this) {
      stored = new Stored(snapshots.readFiles(), snapshots.removed().beforeMicros());
    }
    return new TableView(this, queries, stored.files, List.of(), stored.removedBefore, () -> {});
  }

  /** Path of a Parquet file without rows. */
  String emptyFile() {
    return empty.toString();
  }

  TableStorage storage() {
    return storage;
  }

  /** Makes buffered rows available to the table function, until the view is closed. */
  TailView register(List<RowBuffer.Slice> slices) {
    return views.register(slices);
  }

  /** Number of rows that queries see now. */
  public synchronized long rows() {
    return snapshots.rows() + tail.rows();
  }

  /** Arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} if there is none. */
  public synchronized long oldest() {
    return Math.min(snapshots.oldest(), tail.oldest());
  }

  /** Arrival of the newest row, microseconds; {@link Long#MIN_VALUE} if there is none. */
  public synchronized long newest() {
    return Math.max(snapshots.newest(), tail.newest());
  }

  /** Like {@link #newest}, for rows that this process has appended. */
  public synchronized long newestAppended() {
    return tail.newestAppended();
  }

  /** The newest snapshot; empty before the first. */
  public synchronized Optional<TableVersion> version() {
    return snapshots.version();
  }

  /** Number of files in the newest snapshot. */
  synchronized int files() {
    return snapshots.files();
  }

  /** Sums of committed rows that the rollups do not contain yet. */
  public SealedSums sums() {
    return sums;
  }

  /** Size of the newest snapshot's files. */
  public synchronized long bytes() {
    return snapshots.bytes();
  }

  /** Log coverage of the sealed files that wait for their commit. */
  public Frontier sealed() {
    return sealedParts().values().stream()
        .map(SealedPart::frontier)
        .reduce(Frontier.EMPTY, Frontier::union);
  }

  // ---- retention

  /** Rows removed by retention. */
  public synchronized StoredRetention removed() {
    return snapshots.removed();
  }

  /**
   * Removes the files of all hours before a time. They are deleted when the snapshots that contain
   * them expire.
   *
   * @param kept log range to keep: files that may contain rows of it are not removed
   * @return number of rows removed
   */
  public long remove(long beforeMicros, LogRange kept) {
    synchronized (commits) {
      return committing(() -> snapshots.remove(beforeMicros, kept));
    }
  }

  /** Commits. After a failure reloads the table, since the commit may have taken effect. */
  private <T> T committing(Supplier<T> commit) {
    try {
      return commit.get();
    } catch (RuntimeException e) {
      snapshots.commitFailed();
      try {
        snapshots.reload();
      } catch (RuntimeException unreadable) {
        e.addSuppressed(unreadable);
      }
      throw e;
    }
  }

  /** Deletes files left by a process that ended while it wrote them. */
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
   * Merges small files of one hour into one, if there are enough of them, and commits a snapshot
   * that replaces them. Running queries continue to read the old files.
   *
   * @return false if there was nothing to merge
   */
  public boolean compact() {
    Merge merge;
    synchronized (this) {
      merge = snapshots.nextMerge(limits.bufferRows());
    }
    if (merge == null) {
      return false;
    }
    StoredFile merged;
    try (TableStorage.Use inputs = storage.use(merge.paths())) {
      merged =
          writer.files().merge(merge.paths(), merge.part(), merge.hour(), columns, icebergSchema);
    } catch (SQLException | IOException e) {
      throw new StoreException("cannot merge files of table " + name + ": " + e.getMessage(), e);
    }
    publish(List.of(merged));
    synchronized (commits) {
      if (!committing(() -> snapshots.replace(merge, merged))) {
        delete(merged.path()); // retention has removed its rows
      }
      return true;
    }
  }

  // ---- sinks

  /** Creates a sink for one subtask, which has not begun. */
  public IcebergFlowSink sink() {
    return new IcebergFlowSink(this);
  }

  /** Creates a sink whose rows another process writes to files. */
  public ExternalFileSink externalFileSink() {
    return new ExternalFileSink(this);
  }

  /** What another process needs to write files of this table; see {@link TableFiles#open}. */
  public synchronized String descriptor() {
    if (descriptor == null) {
      descriptor = TableDescriptor.of(storage, name, directory, icebergSchema, sums.plan());
    }
    return descriptor.json();
  }

  /** Folder of the data files. */
  Path data() {
    return directory.resolve("data");
  }

  /** Log coverage of the snapshots when the table was opened or last rewound. */
  Frontier known() {
    return known;
  }

  public String name() {
    return name;
  }

  /** Columns of the wire, and all that data sets have added. */
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

  /** Log coverage of the newest snapshot. */
  public Frontier committed() {
    return committed;
  }

  /**
   * Whether a snapshot already contains the rows of this log record, so that a replay must skip
   * them.
   */
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
   * @param isKept whether the next {@link #sealAll} seals these rows; otherwise they are discarded
   */
  synchronized void remove(TableSink sink, List<PendingRows> rows, boolean isKept) {
    if (!sinks.remove(sink)) {
      return; // a rewind has removed all sinks
    }
    if (isKept) {
      tail.addUnsealed(rows);
    } else {
      rows.forEach(tail::discard);
    }
  }

  /** Discards rows that were not sealed, with their files; no effect if a rewind has done so. */
  synchronized void discard(PendingRows rows) {
    tail.discard(rows);
  }

  PendingRows begin(long mine, FlowPart part) {
    return begin(mine, writer.newBuffer(part));
  }

  /** Begins a buffer for rows that another process writes to files. */
  PendingRows beginExternal(long mine, FlowPart part) {
    return begin(mine, new RowBuffer(part, externalMemory));
  }

  private synchronized PendingRows begin(long mine, RowBuffer buffer) {
    check(mine, "rows");
    PendingRows pending = new PendingRows(buffer);
    tail.add(pending);
    return pending;
  }

  /** Whether there is memory for more rows that another process writes to files. */
  boolean hasRoomForExternal() {
    return !externalMemory.isFull();
  }

  /** Bytes of rows that are in files, and that queries still read from memory. */
  public long heldBytes() {
    return memory.heldBytes() + externalMemory.heldBytes();
  }

  /**
   * Starts writing all buffered rows to files if they take half of the memory. Blocks while the
   * limit is reached.
   */
  void makeRoom() {
    writer.makeRoom(
        () -> {
          List<TableSink> all;
          synchronized (this) {
            all = List.copyOf(sinks);
          }
          all.forEach(TableSink::endBuffers);
        });
  }

  /** Starts writing a buffer that gets no more rows. */
  void write(PendingRows pending) {
    writer.write(pending, written);
  }

  private final class Written implements RowBufferWriter.Target {
    @Override
    public boolean isWanted(PendingRows rows) {
      synchronized (IcebergFlowTable.this) {
        return !rows.isDiscarded;
      }
    }

    @Override
    public RowBuffer.Slice slice(PendingRows rows) {
      synchronized (IcebergFlowTable.this) {
        return rows.isDiscarded || rows.buffer.rows() == 0 ? null : rows.buffer.slice();
      }
    }

    @Override
    public void written(PendingRows rows, List<StoredFile> stored, BufferSums made) {
      replace(rows, stored, made);
    }
  }

  /** Replaces buffered rows by files; queries that begin later read the files. */
  synchronized void replace(PendingRows pending, List<StoredFile> stored, BufferSums made) {
    if (pending.isDiscarded) {
      stored.forEach(file -> delete(file.path()));
      return;
    }
    tail.written(pending, stored, made, sums.mostBytes());
  }

  synchronized void seal(
      TableSink sink, long checkpoint, Frontier covered, List<PendingRows> rows) {
    check(sink.token(), "a checkpoint");
    tail.seal(sink, checkpoint, covered, rows);
  }

  /** Seals the rows of all sinks, none of which may append meanwhile. */
  void sealAll(long checkpoint, Frontier covered) {
    List<TableSink> all;
    synchronized (this) {
      all = List.copyOf(sinks);
    }
    all.forEach(sink -> sink.seal(checkpoint, covered));
    synchronized (this) {
      tail.sealUnsealed(checkpoint, covered);
    }
  }

  /** Waits until all rows that a sink has sealed would survive a power failure. */
  void sync(TableSink sink) {
    long mine = sink.token();
    List<Tail.Sealing> own;
    synchronized (this) {
      check(mine, "a checkpoint");
      own = tail.sealedBy(sink);
    }
    own.forEach(sealing -> makeDurable(sealing, mine));
  }

  private void makeDurable(Tail.Sealing sealing, long mine) {
    sealing.makeDurable(storage, mine, sealedFolder(), () -> committed);
  }

  /** Publishes files that are then committed; if that fails, deletes them. */
  private void publish(List<StoredFile> files) {
    try {
      for (StoredFile file : files) {
        storage.publish(Path.of(file.path()));
      }
    } catch (IOException e) {
      files.forEach(file -> delete(file.path()));
      throw new StoreException(e.getMessage(), e);
    }
  }

  private void delete(String file) {
    storage.deleteUnused(Path.of(file));
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
   * Commits the rows sealed for a completed checkpoint and for earlier ones, in one snapshot. A
   * repeated call has no effect.
   */
  void commit(long mine, long checkpoint, Frontier covered) {
    List<Tail.Sealing> due = new ArrayList<>();
    synchronized (this) {
      check(mine, "a checkpoint");
      due.addAll(tail.sealedUntil(checkpoint));
    }
    due.forEach(sealing -> makeDurable(sealing, mine)); // unlocked: writing threads need the lock
    synchronized (commits) {
      synchronized (this) {
        check(mine, "a checkpoint");
        due.removeIf(sealing -> !tail.isSealed(sealing)); // another sink has committed it meanwhile
      }
      if (!due.isEmpty()) {
        commitSealed(mine, checkpoint, covered, due);
      }
    }
    due.forEach(Tail.Sealing::deleteFile);
  }

  private void commitSealed(long mine, long checkpoint, Frontier covered, List<Tail.Sealing> due) {
    List<StoredFile> stored = new ArrayList<>();
    Frontier union = committed.union(covered);
    for (Tail.Sealing sealing : due) {
      union = union.union(sealing.covered());
      sealing.rows().forEach(rows -> stored.addAll(rows.files));
    }
    Frontier next = union;
    if (!stored.isEmpty() || !next.equals(committed)) {
      // a commit outside of checkpoints has id 0, and must not lower the stored one
      long newest = snapshots.token() == mine ? snapshots.checkpoint() : 0;
      append(mine, Math.max(newest, checkpoint), next, stored, () -> committed(due, next));
    } else {
      committed(due, next);
    }
  }

  /**
   * Removes committed rows from the tail, at the moment at which their snapshot becomes visible.
   */
  private synchronized void committed(List<Tail.Sealing> due, Frontier next) {
    sums.committed(new LogRange(committed, next), tail.committed(due));
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
   * Discards all uncommitted rows, except sealed ones that a completed checkpoint covers: these are
   * committed now. The job then reads the log again from that checkpoint or an older one; rows that
   * a snapshot already contains are skipped.
   *
   * @param next new fencing token, greater than the current one
   * @param covered frontier of the checkpoint
   * @return number of discarded rows in the tail
   * @throws FencedException if the token is not greater; nothing is changed
   */
  public long rewind(long next, Frontier covered) {
    synchronized (commits) {
      return rewindAlone(next, covered);
    }
  }

  private synchronized long rewindAlone(long next, Frontier covered) {
    if (next <= token) {
      throw new FencedException(
          ("table %s rejects a rewind under token %d: token %d is already in use, by a newer attempt"
                  + " of the job or because the job manager's clock went backwards; stop the other"
                  + " job, or correct the clock")
              .formatted(name, next, token));
    }
    Set<String> unused = new HashSet<>(tail.paths());
    long discarded = discardTail();
    snapshots.takeOver(); // a commit that reported a failure may have taken effect
    List<StoredFile> kept = new ArrayList<>();
    Frontier reached = committed.union(snapshots.frontier());
    Map<Path, SealedPart> left = sealedParts();
    for (SealedPart part : left.values()) {
      boolean isSettled = // committed, or handled by a later rewind
          part.token() != snapshots.token() || part.checkpoint() <= snapshots.checkpoint();
      if (!isSettled && part.isWithin(covered)) {
        kept.addAll(part.files());
        reached = reached.union(part.frontier());
      } else if (!isSettled) {
        part.files().forEach(file -> unused.add(file.path()));
      }
    }
    append(next, 0, reached, kept, () -> {});
    left.keySet().forEach(RowBufferWriter::deleteQuietly);
    kept.forEach(file -> unused.remove(file.path()));
    unused.removeAll(snapshots.paths());
    unused.forEach(this::delete);
    committed = reached;
    token = next;
    known = reached;
    writer.resume();
    return discarded;
  }

  private long discardTail() {
    sinks.clear();
    return tail.clear();
  }

  /**
   * Begins a new epoch of the log, after the log lost records or was replaced. All rows are kept;
   * rows that the log replays in the new epoch are skipped.
   *
   * @param read frontier of the job's checkpoint, by partition number of the earlier epoch
   * @param until first lost offsets
   * @param begin start of the new epoch, by its partition numbers
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
   * Adds the prepared rows of an imported file in one snapshot. One import at a time, since it
   * assigns positions in the log.
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
    publish(stored);
    synchronized (commits) {
      Frontier next = committed.union(reached);
      append(snapshots.token(), snapshots.checkpoint(), next, stored, () -> committed = next);
    }
  }

  /**
   * Arrival of the newest row up to {@code until}, in microseconds. If the newest files and buffers
   * are separated from all older ones by more than {@code gapMicros}, returns the newest row before
   * that gap instead. {@link Long#MIN_VALUE} if there is none.
   */
  synchronized long newestUntil(long until, long gapMicros) {
    List<RowExtent> extents = new ArrayList<>();
    snapshots
        .readFiles()
        .values()
        .forEach(part -> part.forEach(file -> extents.add(file.extent())));
    extents.addAll(tail.extents());
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

  /** Runs a step while no snapshot is committed. */
  public void betweenCommits(BackupStep step) throws IOException {
    synchronized (commits) {
      step.run();
    }
  }

  /** Part of a backup. */
  @FunctionalInterface
  public interface BackupStep {
    void run() throws IOException;
  }

  /**
   * Links the newest snapshot's files into another directory; to be called in {@link
   * #betweenCommits}.
   */
  public void link(Path to) throws IOException {
    snapshots.link(directory, to);
  }

  /** Makes the linked files a table of their own, with the newest snapshot only. */
  public void finishBackup(Path to) {
    snapshots.finishBackup(to);
  }

  /** Starts merging small files in the background. */
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
      var unused = discardTail();
    }
    try {
      connection.close();
    } catch (SQLException e) {
      throw new StoreException("cannot close the table " + name + ": " + e.getMessage(), e);
    }
  }
}
