package io.millrace.datasets;

import java.util.List;

/**
 * An immutable set of records found by IP address, or by a pair of an address and a number: what
 * flows are joined with.
 *
 * <p>A look-up gives the <em>record</em> of an address, a number from 0. A record has a value for
 * each of the {@link #fields()}: a number, or a text. A text is never carried about; in its place
 * stands its <em>text ordinal</em>, 0 to {@link #texts} − 1 in its field, the same for ever in the
 * same content ({@link #fingerprint()}). The id of a text is {@code base + ordinal}, where the base
 * comes from outside and tells fields and contents apart ({@link TextIds} makes one that needs no
 * registry); whoever needs the text behind an id asks for it once, by {@link Lookup#text}.
 *
 * <p>Safe for use by many threads, each with a {@link Lookup} of its own.
 */
public interface Dataset extends AutoCloseable {
  /** Record and text ordinal of what is not known. */
  int UNKNOWN = -1;

  /** The name under which the set is declared. */
  String name();

  /** Number of records: look-ups give 0 to {@code records() - 1}, or {@link #UNKNOWN}. */
  int records();

  /**
   * What records are found by: number of ranges, addresses or pairs, several of which may have one
   * record.
   */
  default int entries() {
    return records();
  }

  /** Number of texts in field {@code field}; 0 for a field of numbers. */
  int texts(int field);

  /** The field with which this one shares a range of ids; by default each has one of its own. */
  default int idRange(int field) {
    return field;
  }

  /** Where this field's ids begin in their range. */
  default int firstId(int field) {
    return 0;
  }

  /** Identity of the content: the same for the same content, in every process. */
  long fingerprint();

  /** What a record says, in the order of its declaration. */
  List<Field> fields();

  /** Bytes of heap that the set holds, and shares among its look-ups. */
  long heapBytes();

  /** A way in for one thread, with its own scratch memory and cache. */
  Lookup newLookup();

  /** Lets go of files; no {@link Lookup} may be used afterwards. */
  @Override
  void close();
}
