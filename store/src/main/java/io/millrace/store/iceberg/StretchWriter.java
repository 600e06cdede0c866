package io.millrace.store.iceberg;

import io.millrace.store.StoreException;
import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.sums.StretchSums;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import org.apache.iceberg.Schema;
import org.duckdb.ChunkFunction;

/**
 * Makes files and sums of stretches in the background, for all sinks of one table in one process.
 * Thread-safe.
 */
final class StretchWriter implements AutoCloseable {
  private static final int THREADS = 2;

  /** Between two looks whether the disk has room again. */
  private static final long ROOM_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final String table;
  private final FlowColumns columns;
  private final Schema schema;
  private final TailMemory memory;
  private final TailViews views;
  private final StretchFiles files;
  private final BiFunction<FlowPart, List<ChunkFunction.Chunk>, StretchSums> sums;
  private final BooleanSupplier isDiskFull;
  private final ExecutorService threads;

  /** Why rows could not be written since the last {@link #resume}; null if they could. */
  private volatile StoreException failure;

  /** What becomes of stretches. Thread-safe. */
  interface Target {
    /** Whether anybody still waits for the files. */
    boolean isWanted(PendingRows rows);

    /** The rows to be written; null for none. */
    Stretch.Slice slice(PendingRows rows);

    /** The rows are in files, durable. */
    void written(PendingRows rows, List<StoredFile> stored, StretchSums made);
  }

  /**
   * A writer.
   *
   * @param table name, for messages
   * @param memory of the stretches
   * @param views through which the files' database reads them
   * @param files is closed with this
   * @param sums of rows; null for none
   * @param isDiskFull whether rows have to wait in memory
   */
  StretchWriter(
      String table,
      FlowColumns columns,
      Schema schema,
      TailMemory memory,
      TailViews views,
      StretchFiles files,
      BiFunction<FlowPart, List<ChunkFunction.Chunk>, StretchSums> sums,
      BooleanSupplier isDiskFull,
      ThreadFactory factory) {
    this.table = table;
    this.columns = columns;
    this.schema = schema;
    this.memory = memory;
    this.views = views;
    this.files = files;
    this.sums = sums;
    this.isDiskFull = isDiskFull;
    threads = Executors.newFixedThreadPool(THREADS, factory);
  }

  StretchFiles files() {
    return files;
  }

  /** An empty stretch, which takes the writer's memory. */
  Stretch begin(FlowPart part) {
    return new Stretch(part, memory);
  }

  /**
   * Waits while the rows in memory are too many, after all of them are on their way into files.
   *
   * @param endStretches begins to write the rows of all sinks
   * @throws StoreException if rows cannot be written
   */
  void makeRoom(Runnable endStretches) {
    requireFiles();
    if (memory.isFull()) {
      endStretches.run();
      memory.await(() -> failure != null);
      requireFiles();
    }
  }

  private void requireFiles() {
    StoreException why = failure;
    if (why != null) {
      throw new StoreException(why.getMessage(), why);
    }
  }

  /** Writes again after a failure. */
  void resume() {
    failure = null;
  }

  boolean isShutdown() {
    return threads.isShutdown();
  }

  /** Begins to write a stretch that gets no more rows. */
  void write(PendingRows pending, Target target) {
    pending.written =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return writeWhenThereIsRoom(pending, target);
              } catch (SQLException | IOException e) {
                failure =
                    new StoreException(
                        "cannot write rows of table " + table + ": " + e.getMessage(), e);
                memory.wake();
                throw failure;
              }
            },
            threads);
  }

  private List<StoredFile> writeWhenThereIsRoom(PendingRows pending, Target target)
      throws SQLException, IOException {
    while (true) {
      while (isDiskFull.getAsBoolean() && isWanted(pending, target)) {
        LockSupport.parkNanos(ROOM_NANOS);
      }
      try {
        return writeFiles(pending, target);
      } catch (SQLException | IOException e) {
        if (!DiskFailures.isFull(e) || !isWanted(pending, target)) {
          throw e;
        }
        LockSupport.parkNanos(ROOM_NANOS);
      }
    }
  }

  private boolean isWanted(PendingRows pending, Target target) {
    return !threads.isShutdown() && target.isWanted(pending);
  }

  private List<StoredFile> writeFiles(PendingRows pending, Target target)
      throws SQLException, IOException {
    Stretch.Slice slice = target.slice(pending);
    if (slice == null) {
      target.written(pending, List.of(), null);
      return List.of();
    }
    try (slice;
        TailView rows = views.register(List.of(slice))) {
      List<StoredFile> stored = files.write(rows, pending.stretch, columns, schema);
      FlowPart part = slice.of().part();
      target.written(pending, stored, sums.apply(part, rows.chunks(part)));
      return stored;
    }
  }

  static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      return; // in no snapshot, so nobody reads it
    }
  }

  /** Nothing is begun any more; what runs is to be ended by {@link #awaitEnd}. */
  void shutDown() {
    threads.shutdownNow();
  }

  /**
   * Waits until some threads have ended. A database must not be closed while one writes from it.
   */
  void awaitEnd(ExecutorService others) {
    boolean wasInterrupted = false;
    boolean hasEnded = false;
    while (!hasEnded) {
      files.stop();
      try {
        hasEnded = others.awaitTermination(10, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends what is being written. */
  @Override
  public void close() {
    shutDown();
    awaitEnd(threads);
    try {
      files.close();
    } catch (SQLException e) {
      throw new StoreException("cannot close the table " + table + ": " + e.getMessage(), e);
    }
  }
}
