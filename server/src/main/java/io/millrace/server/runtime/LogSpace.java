package io.millrace.server.runtime;

import java.io.File;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether there is room for batches on the disk of the embedded log. A Kafka broker that meets a
 * full disk gives up, so nothing more is offered to it before that: datagrams are dropped, and
 * counted as such. It is less than the store wants to have free, so the store stops first, and what
 * comes waits in the log.
 *
 * <p>Asked by the collector's thread for each batch; looked at some times a second. Thread-safe.
 */
final class LogSpace {
  private static final Logger LOG = LoggerFactory.getLogger(LogSpace.class);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MIB = 1L << 20;
  private static final long RESERVE_BYTES = 64 * MIB;

  /** Of a small disk, this part is enough. */
  private static final long LARGEST_PART = 40;

  /** For a log elsewhere, whose disk is its own affair. */
  static final LogSpace ELSEWHERE = new LogSpace("", 0, () -> 0);

  private final String directory;
  private final long reserveBytes;
  private final LongSupplier usable;
  private volatile long lookedAt = System.nanoTime() - LOOK_NANOS;
  private volatile boolean isShort;

  LogSpace(String directory, long reserveBytes, LongSupplier usable) {
    this.directory = directory;
    this.reserveBytes = reserveBytes;
    this.usable = usable;
  }

  /** The disk of a directory that is there. */
  static LogSpace of(Path directory) {
    File folder = directory.toFile();
    long reserve = Math.min(RESERVE_BYTES, folder.getTotalSpace() / LARGEST_PART);
    return new LogSpace(directory.toString(), reserve, folder::getUsableSpace);
  }

  /** Whether nothing may be written; says so in the log when that begins and ends. */
  boolean isShort() {
    long now = System.nanoTime();
    if (now - lookedAt >= LOOK_NANOS) {
      lookedAt = now;
      boolean wasShort = isShort;
      isShort = usable.getAsLong() < reserveBytes;
      if (isShort && !wasShort) {
        LOG.warn(message());
      } else if (wasShort && !isShort) {
        LOG.warn("the disk of {} has room again: datagrams are taken", directory);
      }
    }
    return isShort;
  }

  private String message() {
    return "the disk of %s is full: %d MiB are free, and %d MiB are needed for the log; datagrams are dropped, and counted, until some space is freed"
        .formatted(directory, usable.getAsLong() / MIB, reserveBytes / MIB);
  }

  /** What is wrong now, in one line. */
  Optional<String> problem() {
    return isShort() ? Optional.of(message()) : Optional.empty();
  }
}
