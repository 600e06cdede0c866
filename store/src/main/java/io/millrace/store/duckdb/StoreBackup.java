package io.millrace.store.duckdb;

import io.millrace.store.StoreException;
import io.millrace.store.duckdb.disk.DiskFailures;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A copy of the store in its own folder, which is a store itself. Tables of flows are hard links.
 * The database file, which only a checkpoint changes, is copied, with its write-ahead log up to the
 * length at the moment of the tables' snapshots.
 */
final class StoreBackup {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Path directory;
  private final Path database;
  private final StoreTables tables;
  private final Checkpoints checkpoints;

  StoreBackup(Path folder, Path database, StoreTables tables, Checkpoints checkpoints) {
    directory = folder;
    this.database = database;
    this.tables = tables;
    this.checkpoints = checkpoints;
  }

  /** Creates the copy, which replaces the last one. */
  synchronized Path make() {
    try {
      delete();
      Files.createDirectories(directory);
      while (!checkpoints.withoutCheckpoint(this::copy)) {
        LockSupport.parkNanos(POLL_NANOS);
      }
      return directory;
    } catch (IOException e) {
      drop();
      throw new StoreException(
          "cannot make a backup in " + directory + ": " + DiskFailures.explain(e), e);
    }
  }

  private void copy() throws IOException {
    Path log = database.resolveSibling(database.getFileName() + ".wal");
    long[] length = new long[1];
    tables.backUp(
        directory.resolve(StoreTables.DIRECTORY),
        () -> length[0] = Files.exists(log) ? Files.size(log) : 0);
    Files.copy(database, directory.resolve(database.getFileName()));
    if (length[0] > 0) {
      try (InputStream in = Files.newInputStream(log);
          OutputStream out = Files.newOutputStream(directory.resolve(log.getFileName()))) {
        copy(in, out, length[0]);
      }
    }
  }

  private static void copy(InputStream in, OutputStream out, long length) throws IOException {
    byte[] buffer = new byte[1 << 16];
    for (long left = length; left > 0; ) {
      int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (read < 0) {
        throw new IOException("the write-ahead log became shorter");
      }
      out.write(buffer, 0, read);
      left -= read;
    }
  }

  /** Deletes the copy, which may have data that the store no longer has. */
  synchronized void drop() {
    try {
      delete();
    } catch (IOException e) {
      throw new StoreException(
          "cannot delete the backup in " + directory + ": " + DiskFailures.explain(e), e);
    }
  }

  private void delete() throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
