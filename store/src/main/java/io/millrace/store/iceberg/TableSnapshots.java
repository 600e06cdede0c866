package io.millrace.store.iceberg;

import io.millrace.store.FlowSchema;
import io.millrace.store.StoredRetention;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.storage.TableStorage;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;

/**
 * Newest snapshot of the Iceberg table of a table of flows, and the commits that replace it.
 *
 * <p>Each snapshot has the fencing token and the checkpoint of the newest rows, and the frontier
 * that all rows cover. After a failed commit, which may have taken effect, {@link #reload} reads
 * the result.
 *
 * <p>Not thread-safe.
 */
final class TableSnapshots {
  private static final String TOKEN = "millrace.token";
  private static final String CHECKPOINT = "millrace.checkpoint";
  private static final String FRONTIER = "millrace.frontier";
  private static final String REMOVED = "millrace.removed";
  private static final Set<String> PROPERTIES = Set.of(TOKEN, CHECKPOINT, FRONTIER, REMOVED);

  private static final long HOUR_MICROS = 3_600_000_000L;
  private static final long EXPIRY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Age at which files in no snapshot are deleted: younger ones may not be reported yet. */
  private static final Duration ORPHAN_AGE = Duration.ofDays(1);

  private final TableStorage storage;
  private final Table table;
  private final FlowColumns columns;
  private final Duration snapshotAge;
  private final Object lock;

  // Changed by the committing thread while it holds the lock.
  private final Map<String, CommittedFile> files = new LinkedHashMap<>();
  private final Map<String, DataFile> dataFiles = new HashMap<>();
  private long token;
  private long checkpoint;
  private Frontier frontier = Frontier.EMPTY;
  private StoredRetention removed = StoredRetention.NONE;
  private Snapshot newest; // null before the first

  /** Whether a commit has failed, which may have taken effect, and nothing was read since. */
  private boolean isStale;

  private long expiredNanos = System.nanoTime();

  private TableSnapshots(
      TableStorage storage, Table table, FlowColumns columns, Duration snapshotAge, Object lock) {
    this.storage = storage;
    this.table = table;
    this.columns = columns;
    this.snapshotAge = snapshotAge;
    this.lock = lock;
    reload();
  }

  /**
   * Opens the table in a directory, or creates it; adds missing columns.
   *
   * @param snapshotAge how long a snapshot and its files are kept after it is replaced
   * @param lock held by readers, and acquired by commits at the moment they become visible
   * @throws WrongSchemaException if a column is stored with another type than declared
   */
  static TableSnapshots open(
      TableStorage storage,
      Path directory,
      String name,
      FlowSchema schema,
      Duration snapshotAge,
      Object lock) {
    Schema first = FlowColumns.of(schema).iceberg();
    Table table =
        TableDirectory.open(
            storage,
            directory,
            name,
            first,
            PartitionSpec.builderFor(first).hour(FlowColumns.TIME).build(),
            SortOrder.unsorted(),
            Map.of(
                "format-version", "2",
                "write.parquet.compression-codec", "zstd",
                "write.metadata.delete-after-commit.enabled", "true",
                "write.metadata.previous-versions-max", "20"),
            PROPERTIES);
    FlowColumns wanted = FlowColumns.of(FlowColumns.union(table.name(), table.schema(), schema));
    addMissing(table, wanted);
    return new TableSnapshots(storage, table, wanted, snapshotAge, lock);
  }

  private static void addMissing(Table table, FlowColumns wanted) {
    UpdateSchema update = table.updateSchema();
    boolean isAny = false;
    for (FlowColumns.Column column : wanted.columns()) {
      Types.NestedField field = table.schema().findField(column.name());
      if (field == null) {
        update.addColumn(column.name(), column.type().iceberg, wanted.doc(column.name()));
        isAny = true;
      } else if (!field.type().equals(column.type().iceberg)) {
        throw new WrongSchemaException(
            "table %s: column %s is stored as %s but declared as %s; use another name for the new column"
                .formatted(table.name(), column.name(), field.type(), column.type().iceberg));
      }
    }
    if (isAny) {
      update.commit();
    }
  }

  /** Reads the newest snapshot. */
  void reload() {
    isStale = true;
    TableDirectory.update(table);
    synchronized (lock) {
      read();
    }
    isStale = false;
  }

  /** Like {@link #reload}; accepts the snapshot of another process too. */
  void takeOver() {
    TableDirectory.load(table);
    reload();
  }

  /** Makes the next commit read the newest snapshot first. */
  void commitFailed() {
    isStale = true;
  }

  private void refresh() {
    if (isStale) {
      reload();
    }
  }

  private void read() {
    newest = table.currentSnapshot();
    files.clear();
    dataFiles.clear();
    Map<String, String> covered = property(TOKEN);
    if (covered != null) {
      token = Long.parseLong(covered.get(TOKEN));
      checkpoint = Long.parseLong(covered.get(CHECKPOINT));
      frontier = parse(covered.get(FRONTIER));
    }
    Map<String, String> removal = property(REMOVED);
    if (removal != null) {
      String[] parts = removal.get(REMOVED).split(",", -1);
      removed =
          new StoredRetention(
              Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
    }
    try (CloseableIterable<FileScanTask> tasks = table.newScan().includeColumnStats().planFiles()) {
      for (FileScanTask task : tasks) {
        DataFile file = task.file();
        add(CommittedFile.of(file, table.schema(), storage), file.copyWithoutStats());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the table " + table.name(), e);
    }
  }

  private void add(CommittedFile file, DataFile dataFile) {
    storage.published(file.path(), file.bytes());
    files.put(file.path(), file);
    dataFiles.put(file.path(), dataFile);
  }

  private void add(StoredFile file, DataFile dataFile) {
    add(CommittedFile.of(file), dataFile);
  }

  /** Sets the properties of a snapshot: state of the job, and rows removed by retention. */
  private static <T extends SnapshotUpdate<T>> T withProperties(
      T update, long ofToken, long ofCheckpoint, Frontier covered, StoredRetention removed) {
    T named =
        update
            .set(TOKEN, Long.toString(ofToken))
            .set(CHECKPOINT, Long.toString(ofCheckpoint))
            .set(FRONTIER, text(covered));
    return removed.rows() == 0
        ? named
        : named.set(
            REMOVED,
            "%d,%d,%d".formatted(removed.beforeMicros(), removed.rows(), removed.lateRows()));
  }

  /** Frontier as a property: {@code partition:offset}, separated by commas. */
  private static String text(Frontier frontier) {
    return frontier.next().entrySet().stream()
        .map(partition -> partition.getKey() + ":" + partition.getValue())
        .collect(Collectors.joining(","));
  }

  private static Frontier parse(String text) {
    Map<Integer, Long> next = new TreeMap<>();
    if (!text.isEmpty()) {
      for (String partition : text.split(",", -1)) {
        int colon = partition.indexOf(':');
        next.put(
            Integer.valueOf(partition.substring(0, colon)),
            Long.valueOf(partition.substring(colon + 1)));
      }
    }
    return new Frontier(next);
  }

  /** Properties of the newest snapshot that has this one; null if none has. */
  private Map<String, String> property(String key) {
    for (Snapshot s = table.currentSnapshot(); s != null; s = parent(s)) {
      if (s.summary().containsKey(key)) {
        return s.summary();
      }
    }
    return null;
  }

  private Snapshot parent(Snapshot snapshot) {
    return snapshot.parentId() == null ? null : table.snapshot(snapshot.parentId());
  }

  FlowColumns columns() {
    return columns;
  }

  Schema schema() {
    return table.schema();
  }

  /** Fencing token of the newest rows; 0 before the first. */
  long token() {
    return token;
  }

  /** Checkpoint of the newest rows, under the token. */
  long checkpoint() {
    return checkpoint;
  }

  /** Log coverage of the rows. */
  Frontier frontier() {
    return frontier;
  }

  /** Rows removed by retention. */
  StoredRetention removed() {
    return removed;
  }

  /** The files by part. */
  Map<FlowPart, List<TableView.ReadFile>> readFiles() {
    Map<FlowPart, List<TableView.ReadFile>> read = TableView.byPart();
    files
        .values()
        .forEach(
            file ->
                read.get(file.part())
                    .add(new TableView.ReadFile(file.path(), file.extent(), true)));
    return read;
  }

  Set<String> paths() {
    return files.keySet();
  }

  int files() {
    return files.size();
  }

  long rows() {
    return files.values().stream().mapToLong(CommittedFile::rows).sum();
  }

  long bytes() {
    return files.values().stream().mapToLong(CommittedFile::bytes).sum();
  }

  /** Arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} if there is none. */
  long oldest() {
    return files.values().stream()
        .mapToLong(file -> file.extent().oldest())
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** The newest snapshot; empty before the first. */
  Optional<TableVersion> version() {
    return Optional.ofNullable(newest)
        .map(snapshot -> new TableVersion(snapshot.snapshotId(), newest()));
  }

  /** Arrival of the newest row, microseconds; {@link Long#MIN_VALUE} if there is none. */
  long newest() {
    return files.values().stream()
        .mapToLong(file -> file.extent().newest())
        .max()
        .orElse(Long.MIN_VALUE);
  }

  /**
   * Adds files in one snapshot.
   *
   * @param alongside runs under the lock when the files become visible
   */
  void append(
      long ofToken,
      long ofCheckpoint,
      Frontier covered,
      List<StoredFile> stored,
      Runnable alongside) {
    refresh();
    if (System.nanoTime() - expiredNanos > EXPIRY_NANOS) {
      expire();
    }
    AppendFiles append = table.newAppend();
    Map<StoredFile, DataFile> added = new LinkedHashMap<>();
    for (StoredFile file : stored) {
      DataFile dataFile = file.dataFile(table.schema(), table.spec(), storage);
      append.appendFile(dataFile);
      added.put(file, dataFile);
    }
    withProperties(append, ofToken, ofCheckpoint, covered, removed).commit();
    Snapshot appended = table.currentSnapshot();
    synchronized (lock) {
      newest = appended;
      token = ofToken;
      checkpoint = ofCheckpoint;
      frontier = covered;
      added.forEach(this::add);
      alongside.run();
    }
  }

  /**
   * Removes the files of all hours before a time. They are deleted when the snapshots that contain
   * them expire.
   *
   * @param kept log range to keep: files that may contain rows of it are not removed
   * @return number of rows removed
   */
  long remove(long beforeMicros, LogRange kept) {
    refresh();
    long hour = Math.floorDiv(beforeMicros, HOUR_MICROS);
    List<CommittedFile> old =
        files.values().stream()
            .filter(file -> file.hour() < hour && !file.extent().mayHave(kept))
            .toList();
    if (old.isEmpty()) {
      return 0;
    }
    long rows = old.stream().mapToLong(CommittedFile::rows).sum();
    long late =
        old.stream()
            .filter(file -> (file.hour() + 1) * HOUR_MICROS <= removed.beforeMicros())
            .mapToLong(CommittedFile::rows)
            .sum();
    StoredRetention next =
        new StoredRetention(
            Math.max(removed.beforeMicros(), hour * HOUR_MICROS),
            removed.rows() + rows,
            removed.lateRows() + late);
    DeleteFiles delete = table.newDelete();
    old.forEach(file -> delete.deleteFile(storage.location(Path.of(file.path()))));
    withProperties(delete, token, checkpoint, frontier, next).commit();
    Snapshot deleted = table.currentSnapshot();
    synchronized (lock) {
      newest = deleted;
      removed = next;
      for (CommittedFile file : old) {
        files.remove(file.path());
        dataFiles.remove(file.path());
      }
    }
    expire();
    return rows;
  }

  private void expire() {
    expiredNanos = System.nanoTime();
    SnapshotRetention.expire(table, snapshotAge);
  }

  /**
   * The next files to merge; null if there are none.
   *
   * @param largeRows files with at least this number of rows are not merged
   */
  Merge nextMerge(int largeRows) {
    return Merge.next(files.values(), largeRows);
  }

  /**
   * Replaces files by one with the same rows.
   *
   * @return false if one of them is no longer in the snapshot; nothing is changed
   */
  boolean replace(Merge merge, StoredFile merged) {
    refresh();
    if (!files.keySet().containsAll(merge.paths())) {
      return false;
    }
    // no check for conflicts with earlier snapshots: they may have expired, and nobody else writes
    RewriteFiles rewrite =
        table.newRewrite().validateFromSnapshot(table.currentSnapshot().snapshotId());
    merge.paths().forEach(path -> rewrite.deleteFile(dataFiles.get(path)));
    DataFile file = merged.dataFile(table.schema(), table.spec(), storage);
    rewrite.addFile(file);
    withProperties(rewrite, token, checkpoint, frontier, removed).commit();
    Snapshot rewritten = table.currentSnapshot();
    synchronized (lock) {
      newest = rewritten;
      for (String path : merge.paths()) {
        files.remove(path);
        dataFiles.remove(path);
      }
      add(merged, file);
    }
    return true;
  }

  void link(Path directory, Path to) throws IOException {
    TableBackup.link(storage, table, directory, to);
  }

  void finishBackup(Path to) {
    TableBackup.finish(storage, to, PROPERTIES);
  }

  /**
   * Deletes data files that are in no snapshot and older than a day.
   *
   * @param data folder of the data files
   * @param used paths of files that may yet be committed
   */
  void deleteOrphans(Path data, Set<String> used) throws IOException {
    Set<String> known = new HashSet<>(used);
    known.addAll(files.keySet());
    SnapshotRetention.replacedFiles(table, storage).forEach(file -> known.add(file.toString()));
    Instant old = Instant.now().minus(ORPHAN_AGE);
    List<TableStorage.Entry> all = new ArrayList<>(TableStorage.local().list(data));
    if (storage.isRemote()) {
      all.addAll(storage.list(data));
    }
    for (TableStorage.Entry file : all) {
      if (!known.contains(file.path().toString()) && file.modified().isBefore(old)) {
        storage.delete(file.path());
      }
    }
  }
}
