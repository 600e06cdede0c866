package io.millrace.traffic;

import java.io.IOException;

/** Destination of {@link UdpSender}: sockets, or a test double. */
public interface Wire {
  /** Sends a datagram from an exporter's address; without knowing whether it is delivered. */
  void send(int exporter, byte[] bytes, int offset, int length) throws IOException;
}
