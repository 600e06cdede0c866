package io.millrace.store.duckdb.disk;

import java.util.Locale;

/** What DuckDB says of disks and files, in one line that says what to do. */
public final class DiskFailures {
  private static final String GOES_ON = "; nothing acknowledged is lost, and storing resumes then";

  private DiskFailures() {}

  /** Whether the database must be reopened: a checkpoint failed half-way. */
  public static boolean isInvalidated(Throwable e) {
    return message(e).contains("has been invalidated");
  }

  /** Whether it is a disk or a file that fails, so that a stack trace says nothing. */
  public static boolean isOfDisk(Throwable e) {
    String message = message(e);
    return message.contains("IO Error") || isInvalidated(e) || !explain(e).equals(message);
  }

  /** Whether there is no space left. */
  public static boolean isFull(Throwable e) {
    String lower = message(e).toLowerCase(Locale.ROOT);
    return lower.contains("no space left on device") || lower.contains("disk quota exceeded");
  }

  /** The reason of a failure, with what to do if it is known. */
  public static String explain(Throwable e) {
    String message = message(e);
    String lower = message.toLowerCase(Locale.ROOT);
    if (isFull(e)) {
      return message + ": the disk is full, free some space or lower store.retention" + GOES_ON;
    }
    if (lower.contains("read-only file system")) {
      return message + ": mount the file system with the right to write" + GOES_ON;
    }
    if (lower.contains("permission denied")) {
      return message + ": give this user the right to write there" + GOES_ON;
    }
    if (lower.contains("input/output error")) {
      return message + ": the disk or its driver fails, see the kernel's messages";
    }
    if (isDamage(lower)) {
      return message
          + ": the file is damaged; put a copy of it in its place, or move it and its .wal away to"
          + " begin with an empty store; move the checkpoints away too, so that what the log still"
          + " has is stored again";
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
