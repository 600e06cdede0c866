package io.millrace.wire.pcap;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Handmade captures in all dialects that {@link CaptureWriter} does not write. */
final class CaptureBytes {
  private final ByteBuffer bytes = ByteBuffer.allocate(1 << 20);

  private CaptureBytes(ByteOrder order) {
    bytes.order(order);
  }

  static CaptureBytes pcap(ByteOrder order, int magic, int link) {
    CaptureBytes capture = new CaptureBytes(order);
    capture.bytes.putInt(magic).putShort((short) 2).putShort((short) 4).putLong(0);
    capture.bytes.putInt(65_535).putInt(link);
    return capture;
  }

  static CaptureBytes pcapng(ByteOrder order) {
    return new CaptureBytes(order).section(order);
  }

  CaptureBytes record(int seconds, int fraction, int wireLength, byte[] packet) {
    bytes.putInt(seconds).putInt(fraction).putInt(packet.length).putInt(wireLength).put(packet);
    return this;
  }

  CaptureBytes section(ByteOrder order) {
    bytes.order(order);
    return block(
        0x0A0D0D0A,
        body(order, 16).putInt(0x1A2B3C4D).putShort((short) 1).putShort((short) 0).putLong(-1));
  }

  /** An interface; options as code, then the bytes of the value. */
  CaptureBytes iface(int link, int snapLength, byte[]... options) {
    ByteBuffer body =
        body(bytes.order(), 256).putShort((short) link).putShort((short) 0).putInt(snapLength);
    for (byte[] option : options) {
      body.putShort(option[0])
          .putShort((short) (option.length - 1))
          .put(option, 1, option.length - 1);
      body.position(body.position() + 3 & ~3);
    }
    return block(1, body.putInt(0));
  }

  CaptureBytes enhanced(int iface, long ticks, int wireLength, byte[] packet) {
    ByteBuffer body = body(bytes.order(), 64 + packet.length).putInt(iface);
    body.putInt((int) (ticks >>> 32)).putInt((int) ticks).putInt(packet.length).putInt(wireLength);
    return block(6, body.put(packet));
  }

  CaptureBytes obsolete(int iface, long ticks, byte[] packet) {
    ByteBuffer body =
        body(bytes.order(), 64 + packet.length).putShort((short) iface).putShort((short) 9);
    body.putInt((int) (ticks >>> 32))
        .putInt((int) ticks)
        .putInt(packet.length)
        .putInt(packet.length);
    return block(2, body.put(packet));
  }

  CaptureBytes simple(int wireLength, byte[] packet) {
    return block(3, body(bytes.order(), 8 + packet.length).putInt(wireLength).put(packet));
  }

  CaptureBytes unknown() {
    return block(0xBAD, body(bytes.order(), 8).putLong(7));
  }

  private static ByteBuffer body(ByteOrder order, int capacity) {
    return ByteBuffer.allocate(capacity).order(order);
  }

  private CaptureBytes block(int type, ByteBuffer body) {
    body.limit(body.position()).position(0);
    int length = body.limit() + 3 & ~3;
    bytes.putInt(type).putInt(length + 12).put(body);
    bytes.position(bytes.position() + length - body.limit());
    bytes.putInt(length + 12);
    return this;
  }

  byte[] toBytes() {
    byte[] copy = new byte[bytes.position()];
    bytes.get(0, copy);
    return copy;
  }

  CaptureReader open() throws IOException {
    return CaptureReader.open(new ByteArrayInputStream(toBytes()));
  }
}
