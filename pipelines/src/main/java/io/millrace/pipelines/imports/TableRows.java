package io.millrace.pipelines.imports;

import io.millrace.store.duckdb.parquet.ParquetRows;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;

/** Rows of a table of texts. Not thread-safe. */
interface TableRows extends AutoCloseable {
  /**
   * Selects columns; called once, before all other methods.
   *
   * @throws IllegalArgumentException if a column does not exist; the message lists the existing
   *     ones
   */
  void select(List<String> columns) throws IOException;

  /** The selected values of the next row, null for none; null at the end. */
  List<String> next() throws IOException;

  /** Place of the row that was read last, for messages. */
  String place();

  /** Approximate number of bytes of the file read so far. */
  long position();

  @Override
  void close() throws IOException;

  /** Creates the exception for a missing column. */
  static IllegalArgumentException missing(String column, Iterable<String> known) {
    return new IllegalArgumentException(
        "unknown column " + column + ", the file has " + String.join(", ", known));
  }

  /** The rows of a Parquet file. */
  static TableRows ofParquet(FileContent content) throws IOException {
    ParquetRows parquet = ParquetRows.open(content.path());
    long size = Files.size(content.path());
    return new TableRows() {
      private long row;
      private boolean ended;

      @Override
      public void select(List<String> columns) throws IOException {
        for (String column : columns) {
          if (!parquet.columns().contains(column)) {
            throw missing(column, parquet.columns());
          }
        }
        parquet.select(columns);
      }

      @Override
      public List<String> next() throws IOException {
        row++;
        List<String> next = parquet.next();
        ended = next == null;
        return next;
      }

      @Override
      public String place() {
        return String.format(Locale.ROOT, "row %,d", row);
      }

      @Override
      public long position() {
        return ended ? size : 0; // DuckDB does not report progress
      }

      @Override
      public void close() {
        parquet.close();
      }
    };
  }
}
