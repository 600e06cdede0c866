package io.millrace.cli.demo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A capture of 16 s: three segments without payload (409 bytes on the wire), a PDP context of the
 * subscriber 491722334455, and an HTTP request for a film in its tunnel every second.
 */
final class MobileCapture {
  private static final int CLIENT = 0x0A000001;
  private static final int SERVER = 0x0A000002;
  private static final int SGSN = 0x0A090001;
  private static final int GGSN = 0x0A090002;
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int CONTROL_PORT = 2123;
  private static final int USER_PORT = 2152;
  private static final int START = 1_700_000_000;
  private static final int SECONDS = 16;
  private static final int ETHERNET_LENGTH = 14;

  /** Request for the context; its response names tunnel 7. */
  private static final String CREATE =
      "3210003c00000000000100000262021032547698f01000000005110000000b14058500040a090001"
          + "8500040a090001860007919471223344559800080162f22023456789";

  private static final String CREATED =
      "3211001e0000000b0001000001801000000007110000000c8500040a0900028500040a090002";

  private final ByteBuffer file = ByteBuffer.allocate(1 << 14).order(ByteOrder.LITTLE_ENDIAN);

  private MobileCapture() {
    file.putInt(0xA1B2C3D4).putShort((short) 2).putShort((short) 4);
    file.putLong(0).putInt(0xFFFF).putInt(1);
  }

  static byte[] bytes() {
    MobileCapture capture = new MobileCapture();
    byte[] segment = packet(CLIENT, SERVER, TCP, segment(new byte[0]));
    for (int i = 0; i < 3; i++) {
      capture.add(0, 409, segment);
    }
    capture.add(0, control(SGSN, GGSN, CREATE));
    capture.add(0, control(GGSN, SGSN, CREATED));
    byte[] asked =
        "GET / HTTP/1.1\r\nHost: www.netflix.com\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    byte[] inside = packet(CLIENT, SERVER, TCP, segment(asked));
    ByteBuffer tunnelled = ByteBuffer.allocate(8 + inside.length);
    tunnelled.putShort((short) 0x30FF).putShort((short) inside.length).putInt(7).put(inside);
    for (int second = 0; second < SECONDS; second++) {
      capture.add(second, packet(SGSN, GGSN, UDP, datagram(USER_PORT, tunnelled.array())));
    }
    return Arrays.copyOf(capture.file.array(), capture.file.position());
  }

  private void add(int second, byte[] packet) {
    add(second, ETHERNET_LENGTH + packet.length, packet);
  }

  private void add(int second, int wireLength, byte[] packet) {
    file.putInt(START + second).putInt(0);
    file.putInt(ETHERNET_LENGTH + packet.length).putInt(wireLength);
    file.put(new byte[12]).put((byte) 8).put((byte) 0).put(packet);
  }

  private static byte[] control(int from, int to, String message) {
    return packet(from, to, UDP, datagram(CONTROL_PORT, HexFormat.of().parseHex(message)));
  }

  private static byte[] packet(int from, int to, int protocol, byte[] payload) {
    ByteBuffer packet = ByteBuffer.allocate(20 + payload.length);
    packet.putShort((short) 0x4500).putShort((short) packet.capacity()).putInt(0);
    packet.put((byte) 64).put((byte) protocol).putShort((short) 0);
    return packet.putInt(from).putInt(to).put(payload).array();
  }

  private static byte[] datagram(int port, byte[] payload) {
    ByteBuffer datagram = ByteBuffer.allocate(8 + payload.length);
    datagram.putShort((short) port).putShort((short) port);
    return datagram.putShort((short) datagram.capacity()).putShort((short) 0).put(payload).array();
  }

  private static byte[] segment(byte[] payload) {
    ByteBuffer segment = ByteBuffer.allocate(20 + payload.length);
    segment.putShort((short) 40_000).putShort((short) 80).putLong(0);
    return segment.putShort((short) 0x5018).putShort((short) 0).putInt(0).put(payload).array();
  }
}
