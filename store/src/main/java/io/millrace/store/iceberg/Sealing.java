package io.millrace.store.iceberg;

import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Rows that one sink has sealed at a checkpoint. Thread-safe. */
final class Sealing {
  private final TableSink sink; // null for rows of sinks that are closed
  private final long checkpoint;
  private final Frontier covered;
  private final List<PendingRows> rows;
  private final long number;
  private boolean isDurable; // guarded by this
  private Path file; // the list of its files; guarded by this; null if there is nothing new

  /**
   * Creates a sealing that is not durable.
   *
   * @param sink null for rows of sinks that are closed
   * @param number unique among those of one checkpoint
   */
  Sealing(TableSink sink, long checkpoint, Frontier covered, List<PendingRows> rows, long number) {
    this.sink = sink;
    this.checkpoint = checkpoint;
    this.covered = covered;
    this.rows = rows;
    this.number = number;
  }

  boolean isOf(TableSink other) {
    return sink == other;
  }

  long checkpoint() {
    return checkpoint;
  }

  Frontier covered() {
    return covered;
  }

  List<PendingRows> rows() {
    return rows;
  }

  /**
   * Waits for the files of the rows, and writes their list into a folder, so that they survive a
   * power failure.
   *
   * @param committed log coverage of the newest snapshot
   */
  synchronized void makeDurable(long token, Path folder, Supplier<Frontier> committed) {
    if (isDurable) {
      return;
    }
    List<StoredFile> stored = new ArrayList<>();
    rows.forEach(each -> stored.addAll(each.awaitFiles()));
    Frontier before = committed.get();
    // records without rows have counters, and advance the frontier too
    if (!stored.isEmpty() || !before.union(covered).equals(before)) {
      file = SealedPart.of(token, checkpoint, covered, stored).write(folder, number);
    }
    isDurable = true;
  }

  /** Deletes the list, after a snapshot contains the files. */
  synchronized void deleteFile() {
    if (file != null) {
      RowBufferWriter.deleteQuietly(file);
    }
  }
}
