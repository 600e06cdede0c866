package io.millrace.store.iceberg;

import io.millrace.store.duckdb.history.HistoryColumn;
import io.millrace.store.duckdb.history.HistoryFile;
import io.millrace.store.duckdb.history.HistoryTable;
import io.millrace.store.duckdb.history.TieredRows;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.storage.TableFileIO;
import io.millrace.store.storage.TableStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.OverwriteFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** A table of rollups or samples. */
final class IcebergHistoryTable implements HistoryTable {
  private static final Duration ORPHAN_AGE = Duration.ofDays(1);

  private final TableStorage storage;
  private final Path directory;
  private final Supplier<Table> opening;
  private Table opened; // on first use: most tables have no files for a long time
  private final String time;
  private final List<HistoryColumn> columns;
  private final Duration snapshotAge;
  private boolean isCleaned;
  private long expiryMillis = Long.MAX_VALUE;

  /** How values of a database type are stored in files. */
  record StorageType(String sql, Type iceberg) {
    static StorageType of(String sqlType) {
      return switch (sqlType) {
        case "TIMESTAMP" -> new StorageType("TIMESTAMP", Types.TimestampType.withoutZone());
        case "UHUGEINT" -> new StorageType("UUID", Types.UUIDType.get());
        case "BOOLEAN" -> new StorageType("BOOLEAN", Types.BooleanType.get());
        case "FLOAT" -> new StorageType("FLOAT", Types.FloatType.get());
        case "DOUBLE" -> new StorageType("DOUBLE", Types.DoubleType.get());
        case "UTINYINT", "USMALLINT", "INTEGER" ->
            new StorageType("INTEGER", Types.IntegerType.get());
        case "UINTEGER", "BIGINT", "UBIGINT", "HUGEINT" ->
            new StorageType("BIGINT", Types.LongType.get());
        default -> throw new IllegalArgumentException("no files with columns of type " + sqlType);
      };
    }
  }

  IcebergHistoryTable(
      TableStorage storage,
      Path directory,
      Supplier<Table> opening,
      String time,
      List<HistoryColumn> columns,
      Duration snapshotAge) {
    this.storage = storage;
    this.directory = directory;
    this.opening = opening;
    this.time = time;
    this.columns = List.copyOf(columns);
    this.snapshotAge = snapshotAge;
  }

  private Table table() {
    if (opened == null) {
      opened = opening.get();
    }
    return opened;
  }

  @Override
  public Path folder() {
    return directory.resolve("data");
  }

  private String list(Function<HistoryColumn, String> each) {
    return columns.stream().map(each).collect(Collectors.joining(", "));
  }

  private static String cast(HistoryColumn column, String type) {
    return "%s::%s AS %1$s".formatted(Catalog.quoted(column.name()), type);
  }

  private int id(HistoryColumn column) {
    return table().schema().findField(column.name()).fieldId();
  }

  @Override
  public String columns() {
    return list(column -> Catalog.quoted(column.name()));
  }

  @Override
  public String select() {
    return list(column -> cast(column, StorageType.of(column.sqlType()).sql));
  }

  @Override
  public String format() {
    return "FORMAT parquet, PARQUET_VERSION 'V2', COMPRESSION zstd, COMPRESSION_LEVEL 1, FIELD_IDS {%s}"
        .formatted(list(column -> Catalog.quoted(column.name()) + ": " + id(column)));
  }

  @Override
  public String read() {
    return "SELECT %s FROM read_parquet(%s, schema = MAP {%s})"
        .formatted(
            list(column -> cast(column, column.sqlType())),
            TieredRows.PATHS,
            list(
                column ->
                    "%d: {'name': '%s', 'type': '%s', 'default_value': NULL}"
                        .formatted(
                            id(column), column.name(), StorageType.of(column.sqlType()).sql)));
  }

  @Override
  public void sync(Path file) throws IOException {
    TableFileIO.sync(file);
    TableFileIO.syncDirectory(directory); // the folder is new with the first file
    TableFileIO.syncDirectory(directory.getParent());
  }

  @Override
  public void list(Collection<HistoryFile> files) {
    if (files.isEmpty() && !Files.exists(directory)) {
      return;
    }
    Table table = table();
    TableDirectory.update(table); // the last commit may have failed and taken effect
    Map<String, DataFile> listed = new HashMap<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        DataFile file = task.file();
        listed.put(storage.path(file.location()).getFileName().toString(), file.copy());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the table " + table.name(), e);
    }
    publishOthers(files, listed.keySet());
    OverwriteFiles change = table.newOverwrite();
    boolean isChanged = false;
    Set<String> wanted = new HashSet<>();
    for (HistoryFile file : files) {
      wanted.add(file.name());
      if (!listed.containsKey(file.name())) {
        change.addFile(dataFile(file));
        isChanged = true;
      }
    }
    for (Map.Entry<String, DataFile> file : listed.entrySet()) {
      if (!wanted.contains(file.getKey())) {
        change.deleteFile(file.getValue());
        isChanged = true;
      }
    }
    if (isChanged) {
      change.commit();
      expiryMillis = System.currentTimeMillis() + snapshotAge.toMillis();
    }
    if (!isCleaned) {
      SnapshotRetention.replacedFiles(table, storage)
          .forEach(file -> wanted.add(file.getFileName().toString()));
      deleteOrphans(wanted);
      isCleaned = true;
    }
  }

  private void publishOthers(Collection<HistoryFile> files, Set<String> listed) {
    try {
      for (HistoryFile file : files) {
        if (!listed.contains(file.name())) {
          storage.publish(folder().resolve(file.name()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  private DataFile dataFile(HistoryFile file) {
    Types.NestedField field = table().schema().findField(time);
    Map<Integer, ByteBuffer> least = Map.of(field.fieldId(), bound(field, file.first()));
    Map<Integer, ByteBuffer> greatest = Map.of(field.fieldId(), bound(field, file.last()));
    return DataFiles.builder(table().spec())
        .withPath(storage.location(folder().resolve(file.name())))
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(file.bytes())
        .withMetrics(new Metrics(file.rows(), null, null, null, null, least, greatest))
        .build();
  }

  private static ByteBuffer bound(Types.NestedField field, long micros) {
    return Conversions.toByteBuffer(field.type(), micros);
  }

  @Override
  public void expire() {
    if (System.currentTimeMillis() > expiryMillis) {
      SnapshotRetention.expire(table(), snapshotAge);
      expiryMillis = Long.MAX_VALUE;
    }
  }

  /** Deletes files older than {@link #ORPHAN_AGE} that the database does not list. */
  private void deleteOrphans(Set<String> known) {
    Instant old = Instant.now().minus(ORPHAN_AGE);
    try {
      for (TableStorage.Entry file : storage.list(folder())) {
        if (!known.contains(file.path().getFileName().toString())
            && file.modified().isBefore(old)) {
          storage.delete(file.path());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete unused files in " + folder(), e);
    }
  }
}
