package io.millrace.lab.peers;

import java.io.IOException;
import java.nio.file.Path;

/** A collector that can be compared. Used by one thread. */
interface Peer extends AutoCloseable {
  /** Name of its program. */
  String name();

  /** What it does with a sample, in a few words: they do not all do the same. */
  String stores();

  /**
   * Makes it ready for a load.
   *
   * @param directory for its files, empty
   * @return port of 127.0.0.1 at which it listens
   * @throws IOException if it does not start
   */
  int start(Path directory) throws IOException;

  /**
   * Waits until it has stored what it received since {@link #start}, for a bounded time, and counts
   * that by the peer's own tools.
   *
   * @param sent how many samples were sent, at which waiting may end
   */
  long stored(long sent) throws IOException;

  /** Ends what {@link #start} started. May be called more than once, and a peer started again. */
  void stop();

  /** Ends it for good. */
  @Override
  void close();
}
