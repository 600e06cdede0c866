package io.millrace.traffic;

import java.io.IOException;

/** Destination of {@link UdpSender}: sockets, or a test double. */
public interface Wire {
  /** Sends a datagram from an exporter's address; its delivery is unknown. */
  void send(int exporter, byte[] bytes, int offset, int length) throws IOException;
}
