package io.millrace.wire.pcap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.fuzz.FuzzTime;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class CaptureReaderFuzzTest {
  @Example
  void mutatedCapturesGiveOnlyTheirOwnException() {
    FuzzTime.run("pcap mutated", 1, 3000, CaptureReaderFuzzTest::readMutated);
  }

  private static void readMutated(Random random) {
    try {
      byte[] bytes = capture(random);
      for (int i = 1 + random.nextInt(5); i > 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      read(bytes, random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Property
  void anyBytesGiveOnlyTheirOwnException(@ForAll byte[] bytes) throws IOException {
    read(bytes, bytes.length);
  }

  @Property(tries = 20)
  void aCaptureTruncatedAtAnyByteGivesTheEarlierPackets(@ForAll long seed) throws IOException {
    byte[] whole = capture(new Random(seed));
    List<byte[]> packets = packets(whole, whole.length);
    for (int length = 0; length < whole.length; length++) {
      List<byte[]> found = packets(whole, length);
      assertThat(found).hasSizeLessThanOrEqualTo(packets.size());
      for (int i = 0; i < found.size(); i++) {
        assertThat(found.get(i)).isEqualTo(packets.get(i));
      }
    }
  }

  /** The packets before the end or the damage, whichever is first. */
  private static List<byte[]> packets(byte[] bytes, int length) throws IOException {
    List<byte[]> packets = new ArrayList<>();
    try {
      CaptureReader capture = CaptureReader.open(new ByteArrayInputStream(bytes, 0, length));
      while (capture.next()) {
        int from = capture.offset();
        packets.add(Arrays.copyOfRange(capture.bytes(), from, from + capture.length()));
      }
    } catch (CaptureException e) {
      assertThat(e.position()).isBetween(0L, (long) length);
    }
    return packets;
  }

  private static byte[] capture(Random random) throws IOException {
    byte[] packet = Datagrams.frames(1 + random.nextInt(2000), random.nextBoolean(), random).get(0);
    ByteOrder order = random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    if (random.nextBoolean()) {
      int magic = random.nextBoolean() ? 0xA1B2C3D4 : 0xA1B23C4D;
      return CaptureBytes.pcap(order, magic, 1)
          .record(1, 2, 3, packet)
          .record(1, 2, 3, packet)
          .toBytes();
    }
    return CaptureBytes.pcapng(order)
        .iface(1, random.nextInt(3) * 100, new byte[] {9, (byte) random.nextInt()})
        .enhanced(0, random.nextLong(), 5, packet)
        .simple(packet.length, packet)
        .unknown()
        .obsolete(0, 6, packet)
        .toBytes();
  }

  private static void read(byte[] bytes, int length) throws IOException {
    DatagramExtractor extractor = new DatagramExtractor(Datagrams.IGNORED);
    long packets = 0;
    try {
      CaptureReader capture = CaptureReader.open(new ByteArrayInputStream(bytes, 0, length));
      while (capture.next()) {
        assertThat(capture.offset() + capture.length()).isLessThanOrEqualTo(capture.bytes().length);
        extractor.packet(capture);
        packets++;
      }
      assertThat(capture.bytes().length).isLessThanOrEqualTo(2 * CaptureInput.MAX_PACKET_LENGTH);
    } catch (CaptureException e) {
      assertThat(e.position()).isBetween(0L, length * 1100L); // gzip expands a few bytes to many
    }
    assertThat(Datagrams.counted(extractor)).isEqualTo(packets);
  }
}
