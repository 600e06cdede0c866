package io.millrace.wire.record;

/** Receiver of the clients whose frames are in a value of the log. */
@FunctionalInterface
public interface Senders {
  /** Maximum length of a client's id in bytes. */
  int MAX_CLIENT_BYTES = 255;

  /** Receives a client and its last frame in the value. */
  void sender(String client, long frame);
}
