package io.millrace.server.collect;

import io.millrace.wire.export.DatagramHead;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Datagrams for tests: a head that is true and a body that nobody reads here. */
final class Datagrams {
  private Datagrams() {}

  static ByteBuffer sflow(int agent, int subAgent, int sequence, int length) {
    return sflow(agent, subAgent, sequence, 1_000_000 + sequence, length);
  }

  static ByteBuffer sflow(int agent, int subAgent, int sequence, int uptimeMillis, int length) {
    return ByteBuffer.allocate(length)
        .putInt(5)
        .putInt(1)
        .putInt(agent)
        .putInt(subAgent)
        .putInt(sequence)
        .putInt(uptimeMillis)
        .putInt(0)
        .position(0);
  }

  static ByteBuffer sflowFromIpv6(long high, long low, int sequence) {
    return ByteBuffer.allocate(40)
        .putInt(5)
        .putInt(2)
        .putLong(high)
        .putLong(low)
        .putInt(0)
        .putInt(sequence)
        .putInt(1)
        .putInt(0)
        .flip();
  }

  static byte[] bytes(ByteBuffer datagram) {
    byte[] bytes = new byte[datagram.remaining()];
    datagram.get(datagram.position(), bytes);
    return bytes;
  }

  static DatagramHead head(ByteBuffer datagram) {
    DatagramHead head = new DatagramHead();
    byte[] bytes = bytes(datagram);
    head.read(bytes, 0, bytes.length);
    return head;
  }

  static ByteBuffer unknown() {
    return ByteBuffer.wrap("<13>syslog sent to the wrong port".getBytes(StandardCharsets.US_ASCII));
  }
}
