package io.millrace.store.duckdb.disk;

import java.util.Locale;

/** Explains DuckDB's errors about disks and files in one line that says what to do. */
public final class DiskFailures {
  private static final String GOES_ON =
      "; no acknowledged data is lost, and storing resumes afterwards";

  private DiskFailures() {}

  /** Whether the database must be reopened: a checkpoint failed half-way. */
  public static boolean isInvalidated(Throwable e) {
    return message(e).contains("has been invalidated");
  }

  /** Whether a disk or a file has failed, so that a stack trace does not help. */
  public static boolean isDiskFailure(Throwable e) {
    String message = message(e);
    return message.contains("IO Error") || isInvalidated(e) || !explain(e).equals(message);
  }

  /** Whether the disk is full. */
  public static boolean isFull(Throwable e) {
    String lower = message(e).toLowerCase(Locale.ROOT);
    return lower.contains("no space left on device") || lower.contains("disk quota exceeded");
  }

  /** Reason of a failure, and what to do if that is known. */
  public static String explain(Throwable e) {
    String message = message(e);
    String lower = message.toLowerCase(Locale.ROOT);
    if (isFull(e)) {
      return message + ": the disk is full, free some space or lower store.retention" + GOES_ON;
    }
    if (lower.contains("read-only file system")) {
      return message + ": remount the file system read-write" + GOES_ON;
    }
    if (lower.contains("permission denied")) {
      return message + ": grant this user write permission" + GOES_ON;
    }
    if (lower.contains("input/output error")) {
      return message + ": disk failure, see the kernel log";
    }
    if (isDamage(lower)) {
      return message
          + ": the file is damaged; restore it from a backup, or move it and its .wal away to start"
          + " with an empty store; move the checkpoints away too, so that the job replays the rest"
          + " of the log";
    }
    return message;
  }

  private static boolean isDamage(String lower) {
    return lower.contains("not a valid duckdb database file")
        || lower.contains("corrupt")
        || lower.contains("checksum")
        || lower.contains("could not read enough bytes")
        || lower.contains("serialization error");
  }

  private static String message(Throwable e) {
    return String.valueOf(e.getMessage()).strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
