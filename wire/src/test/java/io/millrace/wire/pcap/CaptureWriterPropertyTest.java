package io.millrace.wire.pcap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.packet.LinkType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class CaptureWriterPropertyTest {
  @Property(tries = 300)
  void writtenDatagramsAreExtracted(
      @ForAll @IntRange(max = 65_507) int length,
      @ForAll @IntRange(min = 576, max = 9000) int mtu,
      @ForAll boolean v6,
      @ForAll @IntRange(max = 2_000_000_000) int seconds)
      throws IOException {
    byte[] payload = Datagrams.payload(length, new Random(length));
    long time = seconds * 1_000_000L + 999_999;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Datagrams.write(new CaptureWriter(out, mtu), time, v6, payload);
    Datagrams sink = new Datagrams();
    DatagramExtractor extractor = new DatagramExtractor(sink);

    CaptureReader capture = CaptureReader.open(new ByteArrayInputStream(out.toByteArray()));
    while (capture.next()) {
      assertThat(capture.length()).isLessThanOrEqualTo(mtu + 14);
      assertSoundIpv4Checksum(capture);
      extractor.packet(capture);
    }

    assertThat(sink.found)
        .containsExactly(
            new Datagrams.Datagram(
                time,
                v6 ? Datagrams.V6_HIGH : 0,
                v6 ? 1 : Datagrams.V4_SOURCE,
                50_000,
                6343,
                Datagrams.text(payload),
                false));
  }

  @Property(tries = 300)
  void udpChecksumsAreRight(@ForAll byte[] payload, @ForAll boolean v6) throws IOException {
    byte[] frame = Datagrams.frames(v6, payload).get(0);
    int addresses = v6 ? 14 + 8 : 14 + 12;
    int udp = v6 ? 14 + 40 : 14 + 20;
    int length = frame.length - udp;
    // Pseudo header and datagram, checksum included, sum to all ones (RFC 768).
    byte[] summed = Arrays.copyOfRange(frame, addresses, frame.length);
    assertThat(onesComplement(summed, 17 + length)).isEqualTo(0xFFFF);
  }

  @Property(tries = 200)
  void fragmentsInAnyOrderGiveTheDatagram(@ForAll long seed, @ForAll boolean v6)
      throws IOException {
    Random random = new Random(seed);
    byte[] payload = Datagrams.payload(random.nextInt(20_000), random);
    List<byte[]> frames = Datagrams.frames(v6, payload);
    Collections.shuffle(frames, random);
    Datagrams sink = new Datagrams();
    DatagramExtractor extractor = new DatagramExtractor(sink);

    for (byte[] frame : frames) {
      extractor.packet(1, LinkType.ETHERNET, frame, 0, frame.length);
    }

    assertThat(sink.found).hasSize(1);
    assertThat(sink.found.get(0).payload()).isEqualTo(Datagrams.text(payload));
  }

  private static void assertSoundIpv4Checksum(CaptureReader capture) {
    byte[] bytes = capture.bytes();
    if (bytes[12] == 8) {
      assertThat(onesComplement(Arrays.copyOfRange(bytes, 14, 34), 0)).isEqualTo(0xFFFF);
    }
  }

  private static int onesComplement(byte[] bytes, int start) {
    int sum = start;
    for (int i = 0; i < bytes.length; i++) {
      sum += (bytes[i] & 0xFF) << (i % 2 == 0 ? 8 : 0);
      sum = (sum & 0xFFFF) + (sum >>> 16);
    }
    return sum;
  }
}
