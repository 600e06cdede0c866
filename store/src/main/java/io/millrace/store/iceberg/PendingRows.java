package io.millrace.store.iceberg;

import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.sums.BufferSums;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Rows that no snapshot contains: in a buffer, and later in the files written from it. */
final class PendingRows {
  final RowBuffer buffer;

  // Guarded by the table.
  List<StoredFile> files; // null while the rows are in the buffer
  boolean isDiscarded;
  boolean isPublished; // by another process
  BufferSums sums; // null if there are none

  /** Completes when the files are written; set when the buffer gets no more rows. */
  volatile CompletableFuture<List<StoredFile>> written;

  PendingRows(RowBuffer buffer) {
    this.buffer = buffer;
  }

  long rows() {
    return files == null ? buffer.rows() : files.stream().mapToLong(StoredFile::rows).sum();
  }

  /** Bounds of the rows; may include a block that is not visible yet. */
  RowExtent bounds() {
    return files == null
        ? buffer.bounds()
        : files.stream().map(StoredFile::extent).reduce(RowExtent.NONE, RowExtent::and);
  }

  List<StoredFile> awaitFiles() {
    try {
      return written.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
