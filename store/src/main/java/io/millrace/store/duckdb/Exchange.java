package io.millrace.store.duckdb;

import io.millrace.store.Cancellation;
import io.millrace.store.ExportedRows;
import io.millrace.store.FlowSchema;
import io.millrace.store.ImportedRows;
import io.millrace.store.QueryException;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.disk.DiskSpace;
import io.millrace.store.duckdb.disk.FileWatch;
import io.millrace.store.duckdb.parquet.ParquetExport;
import io.millrace.store.duckdb.parquet.ParquetImport;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.iceberg.IcebergFlows;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.duckdb.DuckDBConnection;

/**
 * Exports and imports rows of tables of flows as Parquet files, in a directory that SQL may access
 * in addition to the store's files.
 */
final class Exchange {
  private static final int IMPORT_FACTOR = 3;

  private final Path directory;
  private final DuckDBConnection root;
  private final ScheduledExecutorService clock;
  private final DiskSpace space;
  private final StoreConfig config;

  Exchange(
      Path directory,
      DuckDBConnection root,
      ScheduledExecutorService clock,
      DiskSpace space,
      StoreConfig config) {
    this.directory = directory;
    this.root = root;
    this.clock = clock;
    this.space = space;
    this.config = config;
  }

  static void clear(Path directory) throws IOException {
    Files.createDirectories(directory);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path left : files) {
        Files.delete(left);
      }
    }
  }

  boolean isIdle() {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      return !files.iterator().hasNext();
    } catch (IOException e) {
      return true; // no directory, no transfer
    }
  }

  ExportedRows exportRows(
      IcebergFlows table, FlowView view, Instant from, Instant to, Cancellation cancellation) {
    Path target = directory.resolve(UUID.randomUUID() + ".parquet");
    Cancellation ending = new Cancellation();
    cancellation.onCancel(ending::cancel);
    long first = micros(from);
    long end = micros(to);
    try (FileWatch watch = watch(ending)) {
      try (DuckDBConnection connection = Connections.another(root);
          RowsView shown = table.showInFiles(connection, first, end)) {
        shown.endWhen(ending::isCancelled);
        var unused = shown.read(table.name(), file -> file.mayHave(first, end));
        ParquetExport export = new ParquetExport(connection, ending);
        return new ExportedRows(target, export.write(view, first, end, target));
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
      throw new StoreException("cannot export " + view.name() + ": " + DiskFailures.explain(e), e);
    }
  }

  private static long micros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  ImportedRows importRows(InputStream parquet, Function<FlowSchema, IcebergFlows> tables)
      throws IOException {
    Path source = directory.resolve(UUID.randomUUID() + ".parquet");
    Cancellation ending = new Cancellation();
    try (FileWatch watch = watch(ending)) {
      receive(parquet, source, watch);
      watch.check(IMPORT_FACTOR * Files.size(source));
      try {
        return tables.apply(schema(source)).add(source, config.retention(), ending);
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

  private FlowSchema schema(Path source) {
    try (DuckDBConnection connection = Connections.another(root)) {
      return new ParquetImport(connection, source, new Cancellation()).schema();
    } catch (SQLException e) {
      throw new StoreException("cannot read the file: " + DiskFailures.explain(e), e);
    }
  }

  private FileWatch watch(Cancellation ending) {
    return new FileWatch(clock, ending, space, config.exportTimeLimit());
  }

  private static void delete(Path left) {
    try {
      Files.deleteIfExists(left);
    } catch (IOException e) {
      left.toFile().deleteOnExit(); // or the next start deletes it
    }
  }
}
