package io.millrace.datasets;

import io.millrace.wire.block.NewNames;

/** A thread's way into a {@link Dataset}. Not thread-safe; allocates nothing in steady state. */
public interface Lookup {
  /**
   * Finds the records of many addresses; faster for many than for one, since the waits for memory
   * overlap.
   *
   * @param high upper halves of the addresses, as {@link io.millrace.wire.block.Addresses}
   * @param low lower halves
   * @param rows number of addresses
   * @param records gets one record an address, {@link Dataset#UNKNOWN} where there is none, also
   *     for "no address"
   */
  void lookup(long[] high, long[] low, int rows, int[] records);

  /**
   * The same of pairs of an address and a number, in a set of such.
   *
   * @param high upper halves of the addresses; a protocol is that IPv4 address as a number
   * @param low lower halves
   * @param numbers of interface or port, unsigned; {@link Dataset#UNKNOWN} for none
   * @throws UnsupportedOperationException in a set of addresses alone
   */
  default void lookup(long[] high, long[] low, int[] numbers, int rows, int[] records) {
    throw new UnsupportedOperationException("this set has no pairs");
  }

  /**
   * The same of MAC addresses, in a set of such.
   *
   * @throws UnsupportedOperationException in a set of anything else
   */
  default void lookup(MacKeys keys, int rows, int[] records) {
    throw new UnsupportedOperationException("this set has no MAC addresses");
  }

  /**
   * Gives the values of one field for many records.
   *
   * @param field index in {@link Dataset#fields()}
   * @param records records, or {@link Dataset#UNKNOWN}
   * @param rows number of records
   * @param values gets one value a record: an unsigned 32-bit number or a text ordinal, as the
   *     field is; {@link Dataset#UNKNOWN} where the record is unknown or says nothing; may be the
   *     same array as {@code records}
   */
  void values(int field, int[] records, int rows, int[] values);

  /**
   * Adds a text, as UTF-8.
   *
   * @param field index of a field of texts
   * @param ordinal the text's ordinal, 0 to {@link Dataset#texts} − 1
   * @param id id under which the text is added
   * @param out gets the text
   * @throws DatasetCorruptException if the file does not hold what its index says
   */
  void text(int field, int ordinal, long id, NewNames out);

  /** The same text as a string: for the cold path. */
  default String text(int field, int ordinal) {
    NewNames names = new NewNames();
    text(field, ordinal, ordinal, names);
    return names.text(0);
  }
}
