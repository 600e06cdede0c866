package io.millrace.store.remote;

import java.io.IOException;

/** The peer does not speak this protocol, or not this version of it. */
final class ProtocolException extends IOException {
  private static final long serialVersionUID = 1L;

  ProtocolException(String message) {
    super(message);
  }
}
