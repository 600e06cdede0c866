package io.millrace.store.iceberg;

import io.millrace.store.SqlLiteral;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.MemoryShortage;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.storage.TableFileIO;
import io.millrace.store.storage.TableStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.duckdb.DuckDBConnection;

/**
 * The Iceberg table {@code names(id, name)}: the texts whose ids are in tables of flows. Other
 * engines read it, and a lost database is restored from it. Texts are committed before the rows
 * that refer to them. Thread-safe.
 *
 * <p>The order of texts matters: if a text has several ids, rows have the first one. So files are
 * numbered in the order of their rows.
 */
public final class IcebergNames {
  /** Name of the table, for other engines too, and of its directory. */
  public static final String NAME = "names";

  private static final Schema SCHEMA =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.required(2, "name", Types.StringType.get()));

  private static final String STORED = "millrace.main.names";
  private static final int MANY_FILES = 16;

  private final TableStorage storage;
  private final Table table;
  private final Path data;
  private final DuckDBConnection root;
  private final CommitMemory memory;
  private long committedRows; // rowid of the first text in no snapshot; guarded by this
  private int nextNumber; // guarded by this

  /** Whether a commit has failed, and so may have taken effect. Guarded by this. */
  private boolean isUnsure;

  private IcebergNames(
      TableStorage storage, Table table, Path data, DuckDBConnection root, CommitMemory memory) {
    this.storage = storage;
    this.table = table;
    this.data = data;
    this.root = root;
    this.memory = memory;
  }

  /**
   * Opens the table in a directory, or creates it. Texts that only the table or only the database
   * has are added to the other.
   *
   * @param memory of the database, for commits while queries use all of theirs
   */
  public static IcebergNames open(
      TableStorage storage, Path directory, DuckDBConnection root, CommitMemory memory)
      throws SQLException {
    Path own = directory.toAbsolutePath().normalize();
    Table table =
        TableDirectory.open(
            storage,
            own,
            NAME,
            SCHEMA,
            PartitionSpec.unpartitioned(),
            SortOrder.unsorted(),
            TableDirectory.PROPERTIES,
            Set.of());
    IcebergNames names = new IcebergNames(storage, table, own.resolve("data"), root, memory);
    names.synchronizeWithDatabase();
    return names;
  }

  private synchronized void synchronizeWithDatabase() throws SQLException {
    TableDirectory.update(table);
    List<DataFile> files = files();
    files.forEach(file -> nextNumber = Math.max(nextNumber, number(file) + 1));
    try (DuckDBConnection own = Connections.another(root);
        Statement statement = own.createStatement()) {
      if (files.isEmpty()) {
        commit();
        return;
      }
      statement.execute(
          "INSERT INTO %s SELECT f.id, f.name FROM %s f ANTI JOIN %1$s USING (id) ORDER BY f.filename, f.file_row_number"
              .formatted(STORED, parquet(files, ", filename = true, file_row_number = true")));
      append(
          own,
          "SELECT n.id, n.name FROM %s n ANTI JOIN %s USING (id) ORDER BY n.rowid"
              .formatted(STORED, parquet(files, "")));
      committedRows = end(own);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the table of names", e);
    }
  }

  private static long end(DuckDBConnection own) throws SQLException {
    return SqlRows.number(own, "SELECT coalesce(max(rowid) + 1, 0) FROM " + STORED);
  }

  /** Commits the texts of the database that no snapshot contains, in one snapshot. */
  public synchronized void commit() {
    try (DuckDBConnection own = Connections.another(root)) {
      if (isUnsure) {
        isUnsure = false;
        synchronizeWithDatabase();
      }
      long end = MemoryShortage.outlast(memory, () -> end(own));
      if (end > committedRows) {
        append(
            own,
            "SELECT id, name FROM %s WHERE rowid >= %d AND rowid < %d ORDER BY rowid"
                .formatted(STORED, committedRows, end));
        committedRows = end;
        merge(own);
      }
    } catch (SQLException | IOException e) {
      isUnsure = true;
      throw new StoreException("cannot write the table of names: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      isUnsure = true;
      throw e;
    }
  }

  /** Copies the table to another directory, as hard links. */
  public synchronized void backUp(Path to) throws IOException {
    TableBackup.link(storage, table, data.getParent(), to);
    TableBackup.finish(storage, to, Set.of());
  }

  private void append(DuckDBConnection own, String select) throws SQLException, IOException {
    DataFile file = write(own, select, nextNumber);
    if (file.recordCount() == 0) {
      Files.delete(storage.path(file.location()));
      return;
    }
    publish(file);
    table.newAppend().appendFile(file).commit();
    nextNumber++;
  }

  private void publish(DataFile file) throws IOException {
    Path path = storage.path(file.location());
    try {
      storage.publish(path);
    } catch (IOException e) {
      storage.deleteUnused(path);
      throw e;
    }
  }

  /** Merges the newest files, so that each is smaller than those before it. */
  private void merge(DuckDBConnection own) throws SQLException, IOException {
    List<DataFile> files = files();
    if (files.size() < MANY_FILES) {
      return;
    }
    long rows = 0;
    int from = files.size();
    while (from > 0 && files.get(from - 1).recordCount() <= 2 * rows + MANY_FILES) {
      from--;
      rows += files.get(from).recordCount();
    }
    List<DataFile> merged = files.subList(Math.min(from, files.size() - 2), files.size());
    // no check for conflicts with earlier snapshots: they may have expired, and nobody else writes
    RewriteFiles rewrite =
        table.newRewrite().validateFromSnapshot(table.currentSnapshot().snapshotId());
    merged.forEach(rewrite::deleteFile);
    DataFile file = write(own, "FROM " + parquet(merged, ""), number(merged.get(0)));
    publish(file);
    rewrite.addFile(file);
    rewrite.commit();
    SnapshotRetention.expire(table, SnapshotRetention.AGE);
  }

  private DataFile write(DuckDBConnection own, String select, int number)
      throws SQLException, IOException {
    Files.createDirectories(data);
    Path file =
        data.resolve(String.format(Locale.ROOT, "%08d-%s.parquet", number, UUID.randomUUID()));
    DataFile written = MemoryShortage.outlast(memory, () -> copy(own, select, file));
    TableFileIO.sync(file);
    TableFileIO.syncDirectory(data.getParent());
    return written;
  }

  private DataFile copy(DuckDBConnection own, String select, Path file) throws SQLException {
    try (Statement statement = own.createStatement();
        ResultSet result =
            statement.executeQuery(
                "COPY (%s) TO %s (FORMAT parquet, COMPRESSION zstd, RETURN_STATS, FIELD_IDS {id: 1, name: 2})"
                    .formatted(select, SqlLiteral.of(file.toString())))) {
      result.next();
      return DataFiles.builder(table.spec())
          .withPath(storage.location(file))
          .withFormat(FileFormat.PARQUET)
          .withFileSizeInBytes(result.getLong("file_size_bytes"))
          .withMetrics(new Metrics(result.getLong("count"), null, null, null, null))
          .build();
    }
  }

  /** Files in the order of their rows. */
  private List<DataFile> files() {
    List<DataFile> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        var unused = storage.fetch(storage.path(task.file().location()));
        files.add(task.file().copy());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the table of names", e);
    }
    files.sort(Comparator.comparingInt(this::number));
    return files;
  }

  private int number(DataFile file) {
    String name = storage.path(file.location()).getFileName().toString();
    return Integer.parseInt(name.substring(0, name.indexOf('-')));
  }

  private String parquet(List<DataFile> files, String options) {
    return files.stream()
        .map(file -> SqlLiteral.of(storage.path(file.location()).toString()))
        .collect(Collectors.joining(", ", "read_parquet([", "]" + options + ")"));
  }
}
