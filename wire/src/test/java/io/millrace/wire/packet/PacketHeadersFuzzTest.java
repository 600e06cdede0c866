package io.millrace.wire.packet;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.fuzz.FuzzTime;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PacketHeadersFuzzTest {
  private static final int TURNS = 300_000;
  private static final LinkType[] LINKS = LinkType.values();

  /** One packet for each tunnel; mutations of these reach all paths. */
  private static final List<String> SEEDS =
      List.of(
          // GTP-U with sequence number and extension header, IPv4 inside
          udp(
              "0868",
              "34ff00200000002a" + "00010085" + "01000000" + ip("11", "") + "0035003500080000"),
          udp("12b5", "0800000000002a00" + "0".repeat(24) + "0800" + ip("06", "") + "0".repeat(40)),
          udp(
              "17c1",
              "0140655800002a00" + "0".repeat(8) + "0".repeat(24) + "86dd6" + "0".repeat(79)),
          ip(
              "2f",
              "3000655800000007" + "00000001" + "0".repeat(24) + "8847000021ff" + "0".repeat(40)),
          ip("2f", "000022eb" + "0".repeat(23) + "1" + "0".repeat(16) + "0".repeat(24) + "0800"),
          ip("04", ip("29", "6000000000083c40" + "0".repeat(64) + "1100000000000000")));

  private final PacketHeaders headers = new PacketHeaders();

  private static String ip(String protocol, String payload) {
    return "450000f000000000ff" + protocol + "00000a0000010a000002" + payload;
  }

  private static String udp(String port, String payload) {
    return ip("11", "c000" + port + "00800000" + payload);
  }

  @Test
  void anyBytesAreReadOrRejected() {
    FuzzTime.run("PacketHeadersFuzzTest", 1, TURNS, this::mutated);
  }

  private void mutated(Random random) {
    byte[] bytes = HexFormat.of().parseHex(SEEDS.get(random.nextInt(SEEDS.size())));
    for (int i = random.nextInt(5); i > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    int length = random.nextInt(bytes.length + 1);
    read(LinkType.RAW_IP, Arrays.copyOf(bytes, length));
    random.nextBytes(bytes);
    read(LINKS[random.nextInt(LINKS.length)], bytes);
  }

  private void read(LinkType link, byte[] bytes) {
    if (headers.read(IpLayer.INNER, link, bytes, 0, bytes.length, bytes.length)) {
      look(bytes.length);
    }
  }

  /** All reported offsets are within the packet. */
  private void look(int length) {
    assertThat(headers.layers()).isPositive();
    assertThat(headers.ip()).isBetween(0, length);
    assertThat(headers.end()).isLessThanOrEqualTo(length);
    assertThat(headers.transport()).isLessThanOrEqualTo(headers.end());
    assertThat(headers.length()).isNotNegative();
    assertThat(headers.srcPort()).isBetween(-1, 65_535);
    assertThat(headers.dstPort()).isBetween(-1, 65_535);
    assertThat(headers.tcpFlags()).isBetween(-1, 0xFFF);
    assertThat(headers.tos()).isBetween(0, 255);
  }

  /** Processor time of this thread in nanoseconds, independent of other load. */
  private static long ofThisThread() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  @Test
  void packetsInPacketsTakeTimeInProportion() {
    byte[] nested = HexFormat.of().parseHex(ip("04", "").repeat(200_000 / 20));
    long started = ofThisThread();
    for (int i = 0; i < 100; i++) {
      assertThat(
              headers.read(IpLayer.INNER, LinkType.IPV4, nested, 0, nested.length, nested.length))
          .isTrue();
    }
    assertThat(ofThisThread() - started).isLessThan(5_000_000_000L);
    assertThat(headers.layers()).isGreaterThan(10);
    byte[] labels = new byte[200_000]; // Ethernet in MPLS in Ethernet …
    for (int i = 12; i + 6 < labels.length; i += 18) {
      labels[i] = (byte) 0x88;
      labels[i + 1] = 0x47;
      labels[i + 4] = 1;
    }
    assertThat(
            headers.read(IpLayer.INNER, LinkType.ETHERNET, labels, 0, labels.length, labels.length))
        .isFalse();
  }

  @Test
  void malformedCapturesAreReadOrRejected() throws IOException {
    int packets = 0;
    for (String folder : List.of("malformed", "gtp", "encap")) {
      for (Path file : SharedCaptures.in(folder)) {
        for (CaptureFile.Frame frame : frames(file)) {
          byte[] bytes = frame.bytes();
          packets++;
          for (int length = 0; length <= Math.min(bytes.length, 200); length++) {
            read(LinkType.of(frame.linkType()), Arrays.copyOf(bytes, length));
          }
        }
      }
    }
    assertThat(packets).isGreaterThan(1_000);
  }

  /** The readable part of a damaged capture. */
  private static List<CaptureFile.Frame> frames(Path file) {
    try {
      return CaptureFile.read(file);
    } catch (IOException | RuntimeException e) {
      return new ArrayList<>();
    }
  }
}
