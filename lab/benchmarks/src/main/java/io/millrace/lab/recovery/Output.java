package io.millrace.lab.recovery;

import java.io.IOException;

/** What a job has made visible in the store so far. Used by one thread. */
interface Output extends AutoCloseable {
  /**
   * When the newest that was ever visible arrived, microseconds since the epoch; {@link
   * Long#MIN_VALUE} while the store does not answer or has shown nothing in its present life. Cheap
   * enough to be asked fifty times a second.
   */
  long newestMicros();

  /**
   * Rows of the load that are visible.
   *
   * @throws IOException if the store does not answer
   */
  long rows() throws IOException;

  @Override
  default void close() {}
}
