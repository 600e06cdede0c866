package io.millrace.analytics.flowtable;

import io.millrace.wire.packet.BigEndian;
import java.nio.charset.StandardCharsets;

/** IPv4 packets without a link layer, for tests. */
public final class TestPackets {
  private static final int IP = 20;
  private static final int TCP = 20;
  private static final int UDP = 8;

  private TestPackets() {}

  /** A segment of TCP. */
  public static byte[] tcp(
      int from, int fromPort, int to, int toPort, int flags, int sequence, byte[] payload) {
    byte[] packet = ip(6, from, to, TCP + payload.length);
    BigEndian.put16(packet, IP, fromPort);
    BigEndian.put16(packet, IP + 2, toPort);
    BigEndian.put32(packet, IP + 4, sequence);
    packet[IP + 12] = 0x50;
    packet[IP + 13] = (byte) flags;
    System.arraycopy(payload, 0, packet, IP + TCP, payload.length);
    return packet;
  }

  /** A datagram of UDP. */
  public static byte[] udp(int from, int fromPort, int to, int toPort, byte[] payload) {
    byte[] packet = ip(17, from, to, UDP + payload.length);
    BigEndian.put16(packet, IP, fromPort);
    BigEndian.put16(packet, IP + 2, toPort);
    BigEndian.put16(packet, IP + 4, UDP + payload.length);
    System.arraycopy(payload, 0, packet, IP + UDP, payload.length);
    return packet;
  }

  /** A packet of another protocol. */
  public static byte[] ip(int protocol, int from, int to, int length) {
    byte[] packet = new byte[IP + length];
    packet[0] = 0x45;
    BigEndian.put16(packet, 2, packet.length);
    packet[8] = 64;
    packet[9] = (byte) protocol;
    BigEndian.put32(packet, 12, from);
    BigEndian.put32(packet, 16, to);
    return packet;
  }

  /** Bytes of a text, one a character. */
  public static byte[] text(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
