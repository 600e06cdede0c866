package io.millrace.store.iceberg;

import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.sums.StretchSums;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Rows without a snapshot: in memory, or in files once these are written. */
final class PendingRows {
  final Stretch stretch;

  // Guarded by the table.
  List<StoredFile> files; // null while rows are in memory
  boolean isForgotten;
  StretchSums sums; // null if there are none

  /** Ends when the files are written; set when the stretch gets no more rows. */
  volatile CompletableFuture<List<StoredFile>> written;

  PendingRows(Stretch stretch) {
    this.stretch = stretch;
  }

  long rows() {
    return files == null ? stretch.rows() : files.stream().mapToLong(StoredFile::rows).sum();
  }

  /** Bounds of the rows; their number is another. */
  RowExtent bounds() {
    return files == null
        ? stretch.bounds()
        : files.stream().map(StoredFile::extent).reduce(RowExtent.NONE, RowExtent::and);
  }

  /** Waits for the files. */
  List<StoredFile> awaitFiles() {
    try {
      return written.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
