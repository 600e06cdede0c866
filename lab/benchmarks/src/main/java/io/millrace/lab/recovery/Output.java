package io.millrace.lab.recovery;

import java.io.IOException;

/** Visible output of a job in the store. Used by one thread. */
interface Output extends AutoCloseable {
  /**
   * Arrival time of the newest row that was ever visible, microseconds since the epoch; {@link
   * Long#MIN_VALUE} while the store does not respond or has shown no row since its start. Cheap
   * enough for fifty calls a second.
   */
  long newestMicros();

  /**
   * Visible rows of the load.
   *
   * @throws IOException if the store does not respond
   */
  long rows() throws IOException;

  @Override
  default void close() {}
}
