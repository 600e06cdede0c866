package io.millrace.store.iceberg;

import io.millrace.store.duckdb.history.HistoryColumn;
import io.millrace.store.duckdb.history.HistoryTable;
import io.millrace.store.duckdb.history.HistoryTables;
import io.millrace.store.storage.TableStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.types.Types;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Iceberg tables of rollups and samples, for other engines. The database determines which files
 * they list. They have no partitions, because each file covers a short time, which is in its
 * statistics.
 */
public final class IcebergHistory implements HistoryTables {
  /** Name of the tables' directory in the store's directory. */
  public static final String DIRECTORY = "rollups";

  private static final Logger LOG = LoggerFactory.getLogger(IcebergHistory.class);

  private final TableStorage storage;
  private final Path directory;
  private final Duration snapshotAge;

  /**
   * Creates tables below a directory, which may be missing.
   *
   * @param snapshotAge how long a snapshot and its files are kept after the next one
   */
  public IcebergHistory(TableStorage storage, Path directory, Duration snapshotAge) {
    this.storage = storage;
    this.directory = directory.toAbsolutePath().normalize();
    this.snapshotAge = snapshotAge;
  }

  @Override
  public HistoryTable open(String name, String time, List<HistoryColumn> columns) {
    return new IcebergHistoryTable(
        storage,
        directory.resolve(name),
        () -> table(name, time, columns),
        time,
        columns,
        snapshotAge);
  }

  /** Opens a table, or creates one. */
  private Table table(String name, String time, List<HistoryColumn> columns) {
    List<Types.NestedField> fields = new ArrayList<>();
    for (HistoryColumn column : columns) {
      fields.add(
          Types.NestedField.builder()
              .withId(fields.size() + 1)
              .withName(column.name())
              .ofType(IcebergHistoryTable.StorageType.of(column.sqlType()).iceberg())
              .isOptional(!column.name().equals(time))
              .withDoc(column.isText() ? FlowColumns.TEXT_DOC : null)
              .build());
    }
    Schema schema = new Schema(fields);
    Table table =
        TableDirectory.open(
            storage,
            directory.resolve(name),
            name,
            schema,
            PartitionSpec.unpartitioned(),
            SortOrder.unsorted(),
            TableDirectory.PROPERTIES,
            Set.of());
    addMissing(table, schema);
    return table;
  }

  private static void addMissing(Table table, Schema wanted) {
    UpdateSchema update = table.updateSchema();
    boolean isAny = false;
    for (Types.NestedField field : wanted.columns()) {
      if (table.schema().findField(field.name()) == null) {
        update.addColumn(field.name(), field.type(), field.doc());
        isAny = true;
      }
    }
    if (isAny) {
      update.commit();
    }
  }

  @Override
  public void setAside(String name) {
    Path own = directory.resolve(name);
    Path aside = directory.resolve(name + "-" + System.currentTimeMillis());
    try {
      if (storage.list(own.resolve("metadata")).isEmpty()) {
        return;
      }
      storage.move(own, aside);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot rename " + storage.location(own), e);
    }
    LOG.warn(
        "the database does not list the rollups in {}, since it was lost or replaced; moved them to {}, and rolling up the stored rows again",
        storage.location(own),
        storage.location(aside));
  }

  @Override
  public void drop(String name) {
    try {
      storage.deleteAll(directory.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + directory.resolve(name), e);
    }
  }

  /**
   * Links the files of all tables into another directory. When that directory is opened, its tables
   * are created from the list of files in its database.
   */
  public void link(Path to) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.filter(each -> each.toString().endsWith(".parquet")).toList()) {
        Path target = to.resolve(directory.relativize(file));
        Files.createDirectories(target.getParent());
        Files.createLink(target, file);
      }
    }
  }
}
