package io.millrace.wire.record;

import java.util.Arrays;

/**
 * Values in a request for those of its records that lack these fields ({@link
 * RecordSchema#attributes}). Immutable.
 */
public final class RecordAttributes {
  /** No values. */
  public static final RecordAttributes NONE = new RecordAttributes(0, new long[0]);

  final long given; // one bit per field
  final long[] values;

  private RecordAttributes(long given, long[] values) {
    this.given = given;
    this.values = values;
  }

  RecordAttributes with(int field, long value) {
    long[] more = Arrays.copyOf(values, Math.max(values.length, field + 1));
    more[field] = value;
    return new RecordAttributes(given | 1L << field, more);
  }
}
