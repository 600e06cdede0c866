package io.millrace.store.iceberg;

import io.millrace.store.StoreException;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.sums.BufferSums;
import io.millrace.store.storage.TableStorage;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The rows of a table that no snapshot contains: those that sinks have appended, of which some are
 * sealed at checkpoints. Guarded by the table.
 */
final class Tail {
  /** Rows that one sink has sealed at a checkpoint. Thread-safe. */
  static final class Sealing {
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
    Sealing(
        TableSink sink, long checkpoint, Frontier covered, List<PendingRows> rows, long number) {
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
     * Waits for the files of the rows, publishes them, and writes their list into a folder, so that
     * they survive a power failure.
     *
     * @param committed log coverage of the newest snapshot
     */
    synchronized void makeDurable(
        TableStorage storage, long token, Path folder, Supplier<Frontier> committed) {
      if (isDurable) {
        return;
      }
      List<StoredFile> stored = new ArrayList<>();
      for (PendingRows each : rows) {
        List<StoredFile> files = each.awaitFiles();
        if (!each.isPublished) {
          publish(storage, files);
        }
        stored.addAll(files);
      }
      Frontier before = committed.get();
      // records without rows have counters, and advance the frontier too
      if (!stored.isEmpty() || !before.union(covered).equals(before)) {
        file = SealedPart.of(token, checkpoint, covered, stored).write(folder, number);
      }
      isDurable = true;
    }

    private static void publish(TableStorage storage, List<StoredFile> stored) {
      try {
        for (StoredFile each : stored) {
          storage.publish(Path.of(each.path()));
        }
      } catch (IOException e) {
        throw new StoreException(e.getMessage(), e);
      }
    }

    /** Deletes the list, after a snapshot contains the files. */
    synchronized void deleteFile() {
      if (file != null) {
        RowBufferWriter.deleteQuietly(file);
      }
    }
  }

  private final Consumer<String> deletion;
  private final Set<PendingRows> all = new LinkedHashSet<>();
  private final TreeMap<Long, List<Sealing>> sealed = new TreeMap<>();

  /** Rows of closed sinks, for the next sealing. */
  private final List<PendingRows> unsealed = new ArrayList<>();

  private long sealings;
  private long newestAppended = Long.MIN_VALUE;

  /**
   * Creates an empty tail.
   *
   * @param deletion deletes a file
   */
  Tail(Consumer<String> deletion) {
    this.deletion = deletion;
  }

  // ---- rows

  void add(PendingRows rows) {
    all.add(rows);
  }

  /** Replaces buffered rows by the files written from them; their sums are kept if they fit. */
  void written(PendingRows rows, List<StoredFile> stored, BufferSums made, long mostSumBytes) {
    rows.files = stored;
    rows.sums = made == null || made.bytes() + sumBytes() <= mostSumBytes ? made : null;
    rows.buffer.free();
  }

  private long sumBytes() {
    return all.stream().mapToLong(rows -> rows.sums == null ? 0 : rows.sums.bytes()).sum();
  }

  /** Discards rows that are not sealed, with their files; no effect if they are discarded. */
  void discard(PendingRows rows) {
    if (!rows.isDiscarded) {
      remove(rows);
      if (rows.files != null) {
        rows.files.forEach(file -> deletion.accept(file.path()));
      }
    }
  }

  private void remove(PendingRows rows) {
    rows.isDiscarded = true;
    if (rows.files == null) {
      rows.buffer.free();
    }
    all.remove(rows);
  }

  /** Discards all rows, but not their files, and returns how many rows these were. */
  long clear() {
    long rows = rows();
    List.copyOf(all).forEach(this::remove);
    unsealed.clear();
    sealed.clear();
    return rows;
  }

  // ---- what queries see

  /**
   * Adds the files to those of each part, and the visible rows of buffers to the slices.
   *
   * @param slices to be closed by the caller
   */
  void addTo(Map<FlowPart, List<TableView.ReadFile>> files, List<RowBuffer.Slice> slices) {
    for (PendingRows rows : all) {
      if (rows.files == null) {
        slices.add(rows.buffer.slice());
      } else {
        List<TableView.ReadFile> read = files.get(rows.buffer.part());
        rows.files.forEach(
            file -> read.add(new TableView.ReadFile(file.path(), file.extent(), false)));
      }
    }
  }

  long rows() {
    return all.stream().mapToLong(PendingRows::rows).sum();
  }

  /** Bounds of the rows of each buffer; they may include a block that is not visible yet. */
  List<RowExtent> extents() {
    return all.stream().filter(rows -> rows.rows() > 0).map(PendingRows::bounds).toList();
  }

  /** Arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} if there is none. */
  long oldest() {
    return all.stream().mapToLong(rows -> rows.bounds().oldest()).min().orElse(Long.MAX_VALUE);
  }

  /**
   * Arrival of the newest row that was ever committed from this tail or is in it, microseconds;
   * {@link Long#MIN_VALUE} if there is none.
   */
  long newest() {
    return all.stream().mapToLong(rows -> rows.bounds().newest()).reduce(newestAppended, Math::max);
  }

  /** Like {@link #newest}; rows that are discarded later count too. */
  long newestAppended() {
    newestAppended = newest();
    return newestAppended;
  }

  /** Paths of all files. */
  List<String> paths() {
    List<String> paths = new ArrayList<>();
    for (PendingRows rows : all) {
      if (rows.files != null) {
        rows.files.forEach(file -> paths.add(file.path()));
      }
    }
    return paths;
  }

  // ---- checkpoints

  /** Keeps rows of a closed sink for the next {@link #sealUnsealed}. */
  void addUnsealed(List<PendingRows> rows) {
    unsealed.addAll(rows);
  }

  void seal(TableSink sink, long checkpoint, Frontier covered, List<PendingRows> rows) {
    sealed
        .computeIfAbsent(checkpoint, id -> new ArrayList<>())
        .add(new Sealing(sink, checkpoint, covered, rows, sealings++));
  }

  /** Seals the rows of closed sinks. */
  void sealUnsealed(long checkpoint, Frontier covered) {
    seal(null, checkpoint, covered, List.copyOf(unsealed));
    unsealed.clear();
  }

  /** What a sink has sealed and is not committed. */
  List<Sealing> sealedBy(TableSink sink) {
    return sealed.values().stream()
        .flatMap(List::stream)
        .filter(sealing -> sealing.isOf(sink))
        .toList();
  }

  /** What was sealed at a checkpoint and at earlier ones, and is not committed. */
  List<Sealing> sealedUntil(long checkpoint) {
    return sealed.headMap(checkpoint, true).values().stream().flatMap(List::stream).toList();
  }

  /** Whether it is neither committed nor discarded. */
  boolean isSealed(Sealing sealing) {
    return sealed.getOrDefault(sealing.checkpoint(), List.of()).contains(sealing);
  }

  /**
   * Removes rows that a snapshot contains now.
   *
   * @return their sums; null for those of a buffer that has none
   */
  List<BufferSums> committed(List<Sealing> due) {
    List<BufferSums> sums = new ArrayList<>();
    for (Sealing sealing : due) {
      for (PendingRows rows : sealing.rows()) {
        newestAppended = Math.max(newestAppended, rows.bounds().newest());
        if (rows.rows() > 0) {
          sums.add(rows.sums);
        }
        all.remove(rows);
      }
      sealed.computeIfPresent(
          sealing.checkpoint(),
          (id, left) -> {
            left.remove(sealing);
            return left.isEmpty() ? null : left;
          });
    }
    return sums;
  }
}
