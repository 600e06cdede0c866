package io.millrace.server.packets;

import io.millrace.wire.packet.BigEndian;
import java.util.HexFormat;

/** GTP packets between two nodes of a mobile network, from the IP header on. */
final class GtpPackets {
  private static final int SGSN = 0x0A090001;
  private static final int GGSN = 0x0A090002;
  private static final int CONTROL_PORT = 2_123;
  private static final int USER_PORT = 2_152;

  private GtpPackets() {}

  /** Request for a PDP context of 491722334455 in cell 26505 of area 9029. */
  static byte[] create(int number) {
    return control(
        SGSN,
        GGSN,
        "3210003c"
            + "00000000%04x0000".formatted(number)
            + "0262021032547698f0"
            + "10%08x".formatted(0x10000 + number)
            + "11%08x".formatted(0x20000 + number)
            + "1405"
            + "8500040a090001"
            + "8500040a090001"
            + "86000791947122334455"
            + "9800080162f22023456789");
  }

  /** Response that accepts the context. */
  static byte[] created(int number) {
    return control(
        GGSN,
        SGSN,
        "3211001e"
            + "%08x%04x0000".formatted(0x20000 + number, number)
            + "0180"
            + "10%08x".formatted(number)
            + "11%08x".formatted(0x30000 + number)
            + "8500040a090002"
            + "8500040a090002");
  }

  /** A packet of the subscriber in the tunnel of the response with this number. */
  static byte[] inTunnel(int number, byte[] packet) {
    byte[] payload = new byte[8 + packet.length];
    payload[0] = 0x30;
    payload[1] = (byte) 0xFF;
    BigEndian.put16(payload, 2, packet.length);
    BigEndian.put32(payload, 4, number);
    System.arraycopy(packet, 0, payload, 8, packet.length);
    return datagram(SGSN, GGSN, USER_PORT, payload);
  }

  private static byte[] control(int from, int to, String hex) {
    return datagram(from, to, CONTROL_PORT, HexFormat.of().parseHex(hex));
  }

  private static byte[] datagram(int from, int to, int port, byte[] payload) {
    byte[] packet = new byte[28 + payload.length];
    packet[0] = 0x45;
    BigEndian.put16(packet, 2, packet.length);
    packet[9] = 17;
    BigEndian.put32(packet, 12, from);
    BigEndian.put32(packet, 16, to);
    BigEndian.put16(packet, 20, port);
    BigEndian.put16(packet, 22, port);
    BigEndian.put16(packet, 24, 8 + payload.length);
    System.arraycopy(payload, 0, packet, 28, payload.length);
    return packet;
  }
}
