package io.millrace.analytics.app;

import static io.millrace.analytics.flowtable.TestPackets.udp;

import io.millrace.wire.packet.BigEndian;
import io.millrace.wire.packet.GtpControl;
import java.util.HexFormat;

/** Packets of GTP between two nodes, for tests. */
final class GtpMessages {
  /** The access node, and its tunnels' address. */
  static final int SGSN = 0x0A090001;

  /** The gateway. */
  static final int GGSN = 0x0A090002;

  private static final int USER_PORT = 2152;

  private GtpMessages() {}

  static byte[] control(int from, int to, String hex) {
    return udp(from, GtpControl.PORT, to, GtpControl.PORT, HexFormat.of().parseHex(hex));
  }

  /** Version 1, with a sequence number. */
  static String v1(int type, int tunnel, int sequence, String elements) {
    return "32%02x%04x%08x%04x0000%s"
        .formatted(type, elements.length() / 2 + 4, tunnel, sequence & 0xFFFF, elements);
  }

  static String v2(int type, int tunnel, int sequence, String elements) {
    return "48%02x%04x%08x%06x00%s"
        .formatted(type, elements.length() / 2 + 8, tunnel, sequence, elements);
  }

  static String element(int type, int instance, String value) {
    return "%02x%04x%02x%s".formatted(type, value.length() / 2, instance, value);
  }

  /** A tunnel endpoint element of version 2. */
  static String end(int instance, int tunnel, int address) {
    return element(87, instance, "80%08x%08x".formatted(tunnel, address));
  }

  /** Request of a PDP context of 491722334455 in cell 26505 of area 9029. */
  static byte[] asking(int sequence, int control, int data) {
    return control(
        SGSN,
        GGSN,
        v1(
            16,
            0,
            sequence,
            "0262021032547698f0"
                + "10%08x11%08x1405".formatted(data, control)
                + "850004%08x850004%08x".formatted(SGSN, SGSN)
                + "86000791947122334455"
                + "98000801"
                + "62f22023456789"));
  }

  static byte[] agreeing(int sequence, int asker, int control, int data) {
    return control(
        GGSN,
        SGSN,
        v1(
            17,
            asker,
            sequence,
            "018010%08x11%08x".formatted(data, control)
                + "850004%08x850004%08x".formatted(GGSN, GGSN)));
  }

  /** A subscriber's packet in the tunnel created by the receiver. */
  static byte[] user(int from, int to, int tunnel, byte[] packet) {
    byte[] payload = new byte[8 + packet.length];
    payload[0] = 0x30;
    payload[1] = (byte) 0xFF;
    BigEndian.put16(payload, 2, packet.length);
    BigEndian.put32(payload, 4, tunnel);
    System.arraycopy(packet, 0, payload, 8, packet.length);
    return udp(from, USER_PORT, to, USER_PORT, payload);
  }
}
