package io.millrace.traffic;

import java.io.IOException;

/** Where {@link UdpSender} puts datagrams: sockets, or what stands for them in a test. */
public interface Wire {
  /** Sends a datagram from an exporter's own address; what the network does with it is unknown. */
  void send(int exporter, byte[] bytes, int offset, int length) throws IOException;
}
