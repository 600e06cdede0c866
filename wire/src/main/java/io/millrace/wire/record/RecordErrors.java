package io.millrace.wire.record;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What is wrong with records of one request. Counts all, and keeps the first. Not thread-safe. */
public final class RecordErrors {
  /**
   * Why a record was not taken.
   *
   * @param index of the record in the request, counted from 0
   * @param field that is wrong; empty where the whole record is
   * @param reason for a person
   */
  public record WrongRecord(int index, String field, String reason) {}

  /** Errors that are kept unless another number is said. */
  public static final int DEFAULT_KEPT = 100;

  private final int kept;
  private final List<WrongRecord> first = new ArrayList<>();
  private long count;
  private boolean truncated;
  private boolean oversized;

  /** Keeps {@link #DEFAULT_KEPT} errors. */
  public RecordErrors() {
    this(DEFAULT_KEPT);
  }

  /** Keeps that many errors, and counts those beyond. */
  public RecordErrors(int kept) {
    this.kept = kept;
  }

  /** A wrong record. */
  public void add(int index, String field, String reason) {
    count++;
    if (first.size() < kept) {
      first.add(new WrongRecord(index, field, reason));
    }
  }

  /** An error behind which nothing can be read. */
  public void end(int index, String field, String reason) {
    add(index, field, reason);
    truncated = true;
  }

  /** As {@link #end}, where the data are longer than the caller has room for. */
  public void endOversized(int index, String reason) {
    end(index, "", reason);
    oversized = true;
  }

  /** Number of wrong records. */
  public long count() {
    return count;
  }

  /** Whether nothing is wrong. */
  public boolean isEmpty() {
    return count == 0;
  }

  /**
   * Whether the last error was one behind which nothing could be read: records behind it, if there
   * are any, are neither taken nor counted.
   */
  public boolean isTruncated() {
    return truncated;
  }

  /** Whether records were not read because they are longer, unpacked, than was allowed. */
  public boolean isOversized() {
    return oversized;
  }

  /** The first wrong records, in their order. */
  public List<WrongRecord> list() {
    return Collections.unmodifiableList(first);
  }

  /** Forgets everything. */
  public void clear() {
    first.clear();
    count = 0;
    truncated = false;
    oversized = false;
  }
}
