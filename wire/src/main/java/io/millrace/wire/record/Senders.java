package io.millrace.wire.record;

/** Takes the clients whose frames are in a value of the log. */
@FunctionalInterface
public interface Senders {
  /** Longest id of a client, in bytes. */
  int MOST_CLIENT_BYTES = 255;

  /** A client, and its last frame in the value. */
  void sender(String client, long frame);
}
