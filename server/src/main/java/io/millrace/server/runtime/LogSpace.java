package io.millrace.server.runtime;

import java.io.File;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the free disk space of the embedded log. Kafka's broker stops when the disk is full;
 * before that, datagrams are dropped and counted. The limit is lower than that of the store, so
 * that the store stops first and the log buffers.
 *
 * <p>The collector's thread calls {@link #isShort} for each batch; the disk is checked a few times
 * a second. Thread-safe.
 */
final class LogSpace {
  private static final Logger LOG = LoggerFactory.getLogger(LogSpace.class);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MIB = 1L << 20;
  private static final long RESERVE_BYTES = 64 * MIB;

  /** The reserve is at most this fraction of the disk, 1 in N. */
  private static final long LARGEST_PART = 40;

  /** Used for an external log, whose disk is not monitored. */
  static final LogSpace ELSEWHERE = new LogSpace("", 0, () -> 0);

  private final String directory;
  private final long reserveBytes;
  private final LongSupplier usable;
  private volatile long checkedAt = System.nanoTime() - POLL_NANOS;
  private volatile boolean isShort;

  LogSpace(String directory, long reserveBytes, LongSupplier usable) {
    this.directory = directory;
    this.reserveBytes = reserveBytes;
    this.usable = usable;
  }

  static LogSpace of(Path directory) {
    File folder = directory.toFile();
    long reserve = Math.min(RESERVE_BYTES, folder.getTotalSpace() / LARGEST_PART);
    return new LogSpace(directory.toString(), reserve, folder::getUsableSpace);
  }

  boolean isShort() {
    long now = System.nanoTime();
    if (now - checkedAt >= POLL_NANOS) {
      checkedAt = now;
      boolean wasShort = isShort;
      isShort = usable.getAsLong() < reserveBytes;
      if (isShort && !wasShort) {
        LOG.warn(message());
      } else if (wasShort && !isShort) {
        LOG.warn("disk of {} has free space again: datagrams are accepted", directory);
      }
    }
    return isShort;
  }

  private String message() {
    return "disk of %s is full: %d MiB free, the log needs %d MiB; datagrams are dropped and counted until space is freed"
        .formatted(directory, usable.getAsLong() / MIB, reserveBytes / MIB);
  }

  Optional<String> problem() {
    return isShort() ? Optional.of(message()) : Optional.empty();
  }
}
