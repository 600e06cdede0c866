package io.millrace.datasets;

import java.util.List;

/**
 * An immutable set of records with which flows are joined, found by IP address, by a pair of an
 * address and a number, or by MAC address.
 *
 * <p>A lookup returns the <em>record</em> of an address, a number from 0. A record has a value for
 * each of the {@link #fields()}: a number or a text. A text is represented by its <em>text
 * ordinal</em>, 0 to {@link #texts} − 1 within its field, stable for the same content ({@link
 * #fingerprint()}). The id of a text is {@code base + ordinal}; the base distinguishes fields and
 * contents, and {@link TextIds} derives one without a registry. {@link Lookup#text} resolves an id
 * to its text.
 *
 * <p>Thread-safe; each thread uses its own {@link Lookup}.
 */
public interface Dataset extends AutoCloseable {
  /** Unknown record or text ordinal. */
  int UNKNOWN = -1;

  /** Name under which the set is declared. */
  String name();

  /** Number of records: lookups return 0 to {@code records() - 1}, or {@link #UNKNOWN}. */
  int records();

  /** Number of keys: ranges, addresses or pairs, several of which may share a record. */
  default int entries() {
    return records();
  }

  /** Number of texts in field {@code field}; 0 for a number field. */
  int texts(int field);

  /** The field whose range of ids this field shares; its own by default. */
  default int idRange(int field) {
    return field;
  }

  /** Offset of this field's ids in their range. */
  default int firstId(int field) {
    return 0;
  }

  /** Hash of the content: equal for equal content, in every process. */
  long fingerprint();

  /** Fields of a record, in the order of their declaration. */
  List<Field> fields();

  /** Heap bytes of the set, shared among its lookups. */
  long heapBytes();

  /** Creates a lookup for one thread, with its own scratch memory and cache. */
  Lookup newLookup();

  /** Closes the files; no {@link Lookup} may be used afterwards. */
  @Override
  void close();
}
