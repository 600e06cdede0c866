package io.millrace.lab.recovery;

/** Builder of the log values of a load. Used by one thread. */
interface LoadValues {
  /**
   * Adds the next datagram or packet.
   *
   * @param dueMicros due time since the epoch, which becomes its timestamp
   * @return number of rows in it
   */
  int add(long dueMicros);

  /** Whether nothing was added since the last value was taken. */
  boolean isEmpty();

  /** Whether the value is long enough to be written. */
  boolean isFull();

  /** Returns the value and starts the next one. */
  byte[] take();
}
