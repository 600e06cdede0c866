package io.millrace.store.duckdb.disk;

import io.millrace.store.StoreException;
import java.io.File;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether there is room under the store for what comes next. Committing threads ask before each
 * step, and wait while there is not: so rows stay in the log, and DuckDB is not brought to fail in
 * the middle of a checkpoint. Thread-safe.
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
   * The disk of a directory.
   *
   * @param checkpointBytes size of the write-ahead log at which it is folded into the file, which
   *     writes about as much again
   */
  public static DiskSpace of(Path directory, long checkpointBytes) {
    File folder = directory.toFile();
    long total = folder.getTotalSpace();
    long reserve = Math.min(2 * checkpointBytes + 16 * MIB, total / LARGEST_PART);
    return new DiskSpace(directory, reserve, folder::getUsableSpace);
  }

  /** For tests: with another measure. */
  public DiskSpace(Path directory, long reserveBytes, LongSupplier usable) {
    this.directory = directory;
    this.reserveBytes = reserveBytes;
    this.usable = usable;
  }

  /** Whether less is free than must be; says so in the log when that begins and ends. */
  public boolean isShort() {
    long free = usable.getAsLong();
    boolean now = free < reserveBytes; // where nothing can be known, both are 0
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

  /** Whether less is free than must be while there are files in a directory of passing ones. */
  public boolean isTakenBy(Path passing) {
    String[] files = passing.toFile().list();
    return files != null && files.length > 0 && isShort();
  }

  /**
   * Rejects what would use the space that the store needs.
   *
   * @param bytes that would be written
   * @throws StoreException if there is not so much
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
    return "the disk of %s is full: %d MiB are free, and %d MiB are needed for checkpoints; nothing is stored until some space is freed, rows wait in the log meanwhile; see store.retention"
        .formatted(directory, free / MIB, (reserveBytes + MIB - 1) / MIB);
  }

  /** What is wrong now, in one line. */
  public Optional<String> problem() {
    return isShort() ? Optional.of(message(usable.getAsLong())) : Optional.empty();
  }
}
