package io.millrace.wire.record;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Errors in the records of one request. Counts all and keeps the first ones. Not thread-safe. */
public final class RecordErrors {
  /**
   * Rejected record.
   *
   * @param index of the record in the request, from 0
   * @param field with the fault; empty if the whole record is invalid
   * @param reason for users
   */
  public record InvalidRecord(int index, String field, String reason) {}

  /** Default number of errors that are kept. */
  public static final int DEFAULT_KEPT = 100;

  private final int kept;
  private final List<InvalidRecord> first = new ArrayList<>();
  private long count;
  private boolean truncated;
  private boolean oversized;

  /** Keeps {@link #DEFAULT_KEPT} errors. */
  public RecordErrors() {
    this(DEFAULT_KEPT);
  }

  /** Keeps that many errors, and counts the others. */
  public RecordErrors(int kept) {
    this.kept = kept;
  }

  /** Adds an invalid record. */
  public void add(int index, String field, String reason) {
    count++;
    if (first.size() < kept) {
      first.add(new InvalidRecord(index, field, reason));
    }
  }

  /** Adds an error that ends decoding. */
  public void end(int index, String field, String reason) {
    add(index, field, reason);
    truncated = true;
  }

  /** Adds an error that ends decoding because of data beyond the caller's limit. */
  public void endOversized(int index, String reason) {
    end(index, "", reason);
    oversized = true;
  }

  /** Number of invalid records. */
  public long count() {
    return count;
  }

  /** Whether there is no error. */
  public boolean isEmpty() {
    return count == 0;
  }

  /** Whether the last error ended decoding: later records, if any, are neither read nor counted. */
  public boolean isTruncated() {
    return truncated;
  }

  /** Whether decoding ended because uncompressed data exceeds the limit. */
  public boolean isOversized() {
    return oversized;
  }

  /** The first invalid records, in order. */
  public List<InvalidRecord> list() {
    return Collections.unmodifiableList(first);
  }

  /** Removes all errors. */
  public void clear() {
    first.clear();
    count = 0;
    truncated = false;
    oversized = false;
  }
}
