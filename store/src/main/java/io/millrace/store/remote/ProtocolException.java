package io.millrace.store.remote;

import java.io.IOException;

/** The peer violates the protocol, or uses another protocol or version. */
final class ProtocolException extends IOException {
  private static final long serialVersionUID = 1L;

  ProtocolException(String message) {
    super(message);
  }
}
