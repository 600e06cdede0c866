package io.millrace.store.duckdb.disk;

import io.millrace.store.StoreException;
import java.io.File;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks that the store's disk has space for the next step. Committing threads check before each
 * step and wait while there is none. Rows then stay in the log, and DuckDB does not fail in the
 * middle of a checkpoint. Thread-safe.
 */
public final class DiskSpace {
  private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);
  private static final long MIB = 1L << 20;

  private static final long LARGEST_PART = 20;

  private final Path directory;
  private final long reserveBytes;
  private final LongSupplier usable;
  private volatile boolean isShort;

  /**
   * Space on the disk of a directory.
   *
   * @param checkpointBytes size at which the write-ahead log is checkpointed into the file, which
   *     writes about as much again
   */
  public static DiskSpace of(Path directory, long checkpointBytes) {
    File folder = directory.toFile();
    long total = folder.getTotalSpace();
    long reserve = Math.min(2 * checkpointBytes + 16 * MIB, total / LARGEST_PART);
    return new DiskSpace(directory, reserve, folder::getUsableSpace);
  }

  /** With another measure of free space, for tests. */
  public DiskSpace(Path directory, long reserveBytes, LongSupplier usable) {
    this.directory = directory;
    this.reserveBytes = reserveBytes;
    this.usable = usable;
  }

  /** Whether less than the reserve is free; logs when this changes. */
  public boolean isShort() {
    long free = usable.getAsLong();
    boolean now = free < reserveBytes; // both are 0 if nothing is known
    if (now != isShort) {
      isShort = now;
      if (now) {
        LOG.warn(message(free));
      } else {
        LOG.warn("the disk of {} has space again; storing resumes", directory);
      }
    }
    return now;
  }

  /** Whether less than the reserve is free while a directory of temporary files has some. */
  public boolean isTakenBy(Path temporary) {
    String[] files = temporary.toFile().list();
    return files != null && files.length > 0 && isShort();
  }

  /**
   * Rejects a write that would use the reserve.
   *
   * @param bytes bytes to write
   * @throws StoreException if there is not enough space
   */
  void require(long bytes) {
    long free = usable.getAsLong();
    if (free < reserveBytes + bytes) {
      throw new StoreException(
          "the disk of %s is too full: %d MiB are free, and %d MiB are needed"
              .formatted(directory, free / MIB, (reserveBytes + bytes + MIB - 1) / MIB),
          null);
    }
  }

  private String message(long free) {
    return "the disk of %s is full: %d MiB are free, and %d MiB are needed for checkpoints; storing is paused until space is freed, and rows stay in the log; see store.retention"
        .formatted(directory, free / MIB, (reserveBytes + MIB - 1) / MIB);
  }

  /** The current problem, in one line. */
  public Optional<String> problem() {
    return isShort() ? Optional.of(message(usable.getAsLong())) : Optional.empty();
  }
}
