package io.millrace.wire.pcap;

import io.millrace.wire.block.Addresses;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Datagrams for tests, as objects; and the Ethernet frames that carry one. */
final class Datagrams implements DatagramSink {
  static final DatagramSink IGNORED =
      (time, high, low, source, destination, bytes, offset, length, truncated) -> {};

  static final long V4_SOURCE = Addresses.v4Low(0xC0000201);
  static final long V4_DESTINATION = Addresses.v4Low(0xC6336401);
  static final long V6_HIGH = 0x2001_0DB8_0000_0000L;

  /** A datagram with its payload as text, so that it can be compared. */
  record Datagram(
      long time, long high, long low, int source, int destination, String payload, boolean cut) {}

  final List<Datagram> found = new ArrayList<>();

  @Override
  public void datagram(
      long timeMicros,
      long sourceHigh,
      long sourceLow,
      int sourcePort,
      int destinationPort,
      byte[] bytes,
      int offset,
      int length,
      boolean truncated) {
    String payload = text(Arrays.copyOfRange(bytes, offset, offset + length));
    found.add(
        new Datagram(
            timeMicros, sourceHigh, sourceLow, sourcePort, destinationPort, payload, truncated));
  }

  static String text(byte[] payload) {
    return Arrays.toString(payload);
  }

  static byte[] payload(int length, Random random) {
    byte[] payload = new byte[length];
    random.nextBytes(payload);
    return payload;
  }

  static void write(CaptureWriter writer, long time, boolean v6, byte[] payload)
      throws IOException {
    long high = v6 ? V6_HIGH : 0;
    writer.datagram(
        time,
        high,
        v6 ? 1 : V4_SOURCE,
        50_000,
        high,
        v6 ? 2 : V4_DESTINATION,
        6343,
        payload,
        0,
        payload.length);
  }

  /** Frames that the writer makes of a datagram of random bytes: one, or one per fragment. */
  static List<byte[]> frames(int length, boolean v6, Random random) throws IOException {
    return frames(v6, payload(length, random));
  }

  static List<byte[]> frames(boolean v6, byte[] payload) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write(new CaptureWriter(out, CaptureWriter.ETHERNET_MTU), 1, v6, payload);
    CaptureReader capture = CaptureReader.open(new ByteArrayInputStream(out.toByteArray()));
    List<byte[]> frames = new ArrayList<>();
    while (capture.next()) {
      frames.add(Arrays.copyOf(capture.bytes(), capture.length()));
    }
    return frames;
  }

  /** Packets counted by one of the extractor's counters. */
  static long counted(DatagramExtractor extractor) {
    return extractor.datagrams()
        + extractor.otherPackets()
        + extractor.malformedPackets()
        + extractor.fragmentPackets();
  }
}
