package io.millrace.store.duckdb.flows;

import io.millrace.store.Cancellation;
import io.millrace.store.ImportedRows;
import io.millrace.store.RetentionConfig;
import io.millrace.store.Store;
import io.millrace.store.duckdb.parquet.ParquetImport;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.NameDictionary;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.duckdb.DuckDBConnection;

/** Adds the rows of files to a table of flows, one file after the other. Thread-safe. */
final class FlowImports {
  private final DuckDbFlowTable table;
  private final FlowLayout layout;
  private final NameDictionary names;

  FlowImports(DuckDbFlowTable table, FlowLayout layout, NameDictionary names) {
    this.table = table;
    this.layout = layout;
    this.names = names;
  }

  ImportedRows add(Path file, RetentionConfig retention, Cancellation cancellation)
      throws SQLException {
    try (DuckDBConnection own = table.another()) {
      synchronized (this) { // the same file twice at once would be there twice
        ParquetImport rows = new ParquetImport(own, file, cancellation);
        try {
          return add(own, rows, retention);
        } catch (SQLException e) {
          throw cancellation.isCancelled() ? e : rows.failure(e);
        }
      }
    }
  }

  private ImportedRows add(DuckDBConnection own, ParquetImport rows, RetentionConfig retention)
      throws SQLException {
    long newestOfFile = rows.newest();
    if (newestOfFile == Long.MIN_VALUE) {
      return new ImportedRows(0, 0);
    }
    checkKeeps(rows, newestOfFile, retention);
    ImportedRows added = rows.prepare(table.name(), layout, names);
    if (added.added() > 0) {
      table.insert(own, rows, newestOfFile);
    }
    return added;
  }

  private void checkKeeps(ParquetImport rows, long newestOfFile, RetentionConfig retention)
      throws SQLException {
    long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    long newest =
        Math.min(Math.max(table.newest(), newestOfFile), now); // a clock may have been wrong
    long age = newest - TimeUnit.NANOSECONDS.toMicros(retention.rows().toNanos());
    long keptFrom = Math.max(table.retention().beforeMicros(), age);
    if (table.name().equals(Store.FLOWS) && rows.oldest() < keptFrom) {
      throw new IllegalArgumentException(
          "the file has rows from before %s, which the table %s does not keep (store.retention): import them into a table of their own, --table NAME, where they stay"
              .formatted(Instant.EPOCH.plus(keptFrom, ChronoUnit.MICROS), table.name()));
    }
  }
}
