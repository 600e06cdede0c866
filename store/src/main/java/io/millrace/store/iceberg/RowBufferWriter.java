package io.millrace.store.iceberg;

import io.millrace.store.StoreException;
import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.sums.BufferSums;
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
 * Writes row buffers to files and sums them up in the background, for all sinks of one table in
 * this process. Thread-safe.
 */
final class RowBufferWriter implements AutoCloseable {
  private static final int THREADS = 2;

  /** Interval of checks whether the disk has room again. */
  private static final long ROOM_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final String table;
  private final FlowColumns columns;
  private final Schema schema;
  private final TailMemory memory;
  private final TailViews views;
  private final ParquetWriter files;
  private final BiFunction<FlowPart, List<ChunkFunction.Chunk>, BufferSums> sums;
  private final BooleanSupplier isDiskFull;
  private final ExecutorService threads;

  /** Failure of a write since the last {@link #resume}; null if there was none. */
  private volatile StoreException failure;

  /** Where the rows come from and the files go. Thread-safe. */
  interface Target {
    /** Whether the files are still needed. */
    boolean isWanted(PendingRows rows);

    /** The rows to write; null if there are none. */
    RowBuffer.Slice slice(PendingRows rows);

    /** Takes over the files, which are durable. */
    void written(PendingRows rows, List<StoredFile> stored, BufferSums made);
  }

  /**
   * Starts the threads.
   *
   * @param table name, for messages
   * @param memory of the buffers
   * @param views through which the database of the files reads the buffers
   * @param files closed with this
   * @param sums sums up rows; returns null for none
   * @param isDiskFull true while rows must stay in memory
   */
  RowBufferWriter(
      String table,
      FlowColumns columns,
      Schema schema,
      TailMemory memory,
      TailViews views,
      ParquetWriter files,
      BiFunction<FlowPart, List<ChunkFunction.Chunk>, BufferSums> sums,
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

  ParquetWriter files() {
    return files;
  }

  RowBuffer newBuffer(FlowPart part) {
    return new RowBuffer(part, memory);
  }

  /**
   * Starts writing all buffered rows to files if they take half of the memory. Blocks while the
   * limit is reached.
   *
   * @param endBuffers starts writing the buffers of all sinks
   * @throws StoreException if rows cannot be written
   */
  void makeRoom(Runnable endBuffers) {
    checkFailure();
    if (memory.isHalfOpen()) {
      endBuffers.run();
    }
    if (memory.isFull()) {
      memory.await(() -> failure != null);
      checkFailure();
    }
  }

  private void checkFailure() {
    StoreException why = failure;
    if (why != null) {
      throw new StoreException(why.getMessage(), why);
    }
  }

  /** Accepts rows again after a failure. */
  void resume() {
    failure = null;
  }

  /** Starts writing a buffer that gets no more rows. */
  void write(PendingRows pending, Target target) {
    pending.buffer.end();
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
    RowBuffer.Slice slice = target.slice(pending);
    if (slice == null) {
      target.written(pending, List.of(), null);
      return List.of();
    }
    try (slice;
        TailView rows = views.register(List.of(slice))) {
      List<StoredFile> stored = files.write(rows, pending.buffer, columns, schema);
      FlowPart part = slice.of().part();
      target.written(pending, stored, sums.apply(part, rows.chunks(part)));
      return stored;
    }
  }

  /** Writes rows to a file that no snapshot will contain; on the caller's thread. */
  Path copy(RowBuffer.Slice slice) throws SQLException, IOException {
    try (TailView rows = views.register(List.of(slice))) {
      return Path.of(files.copy(rows, slice.of().part(), columns, schema).path());
    }
  }

  static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      return; // no snapshot contains it, so nobody reads it
    }
  }

  /** Starts no further writes; {@link #awaitEnd} ends running ones. */
  void shutDown() {
    threads.shutdownNow();
  }

  /**
   * Cancels running writes and waits until the threads have ended: the database must not be closed
   * while one of them uses it.
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

  /** Cancels running writes. */
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
