package io.millrace.lab.peers;

import java.io.IOException;
import java.nio.file.Path;

/** A collector to compare. Used by one thread. */
interface Peer extends AutoCloseable {
  /** Name of its program. */
  String name();

  /** Short description of what it stores per sample; peers differ. */
  String stores();

  /**
   * Prepares the peer for a load.
   *
   * @param directory for its files, empty
   * @return port of 127.0.0.1 at which it listens
   * @throws IOException if it does not start
   */
  int start(Path directory) throws IOException;

  /**
   * Waits, for a bounded time, until the peer has stored everything received since {@link #start},
   * and returns the number of stored samples, counted with the peer's own tools.
   *
   * @param sent number of samples sent; once all are stored, waiting may end
   */
  long stored(long sent) throws IOException;

  /** Ends what {@link #start} started. Idempotent; the peer may be started again. */
  void stop();

  /** Ends the peer permanently. */
  @Override
  void close();
}
