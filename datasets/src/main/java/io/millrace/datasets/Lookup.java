package io.millrace.datasets;

import io.millrace.wire.block.NewNames;

/** A thread's access to a {@link Dataset}. Not thread-safe; does not allocate in steady state. */
public interface Lookup {
  /**
   * Finds the records of many addresses. Batches are faster than single lookups, since their cache
   * misses overlap.
   *
   * @param high upper halves of the addresses, as {@link io.millrace.wire.block.Addresses}
   * @param low lower halves
   * @param rows number of addresses
   * @param records receives the record of each address; {@link Dataset#UNKNOWN} if there is none,
   *     or for "no address"
   */
  void lookup(long[] high, long[] low, int rows, int[] records);

  /**
   * Finds the records of pairs of an address and a number.
   *
   * @param high upper halves of the addresses; a protocol is passed as the IPv4 address of the same
   *     number
   * @param low lower halves
   * @param numbers of interface or port, unsigned; {@link Dataset#UNKNOWN} for none
   * @throws UnsupportedOperationException if the set is not keyed by pairs
   */
  default void lookup(long[] high, long[] low, int[] numbers, int rows, int[] records) {
    throw new UnsupportedOperationException("this set has no pairs");
  }

  /**
   * Finds the records of MAC addresses.
   *
   * @throws UnsupportedOperationException if the set is not keyed by MAC addresses
   */
  default void lookup(MacKeys keys, int rows, int[] records) {
    throw new UnsupportedOperationException("this set has no MAC addresses");
  }

  /**
   * Copies the values of one field for many records.
   *
   * @param field index in {@link Dataset#fields()}
   * @param records records, or {@link Dataset#UNKNOWN}
   * @param rows number of records
   * @param values receives one value for each record: an unsigned 32-bit number or a text ordinal;
   *     {@link Dataset#UNKNOWN} if the record is unknown or has no value; may be the same array as
   *     {@code records}
   */
  void values(int field, int[] records, int rows, int[] values);

  /**
   * Adds a text, as UTF-8.
   *
   * @param field index of a text field
   * @param ordinal the text's ordinal, 0 to {@link Dataset#texts} − 1
   * @param id id under which the text is added
   * @param out receives the text
   * @throws DatasetCorruptException if the file is corrupt
   */
  void text(int field, int ordinal, long id, NewNames out);

  /** The text as a string, for slow paths. */
  default String text(int field, int ordinal) {
    NewNames names = new NewNames();
    text(field, ordinal, ordinal, names);
    return names.text(0);
  }
}
