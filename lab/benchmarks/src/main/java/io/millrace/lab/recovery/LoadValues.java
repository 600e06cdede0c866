package io.millrace.lab.recovery;

/** A value of the log in the making: what a load consists of. Used by one thread. */
interface LoadValues {
  /**
   * Adds what comes next.
   *
   * @param dueMicros when it is due, which becomes its time, since the epoch
   * @return how many rows that are
   */
  int add(long dueMicros);

  /** Whether nothing was added since the last value was taken. */
  boolean isEmpty();

  /** Whether it is long enough to be handed over. */
  boolean isFull();

  /** The value; the next one begins. */
  byte[] take();
}
