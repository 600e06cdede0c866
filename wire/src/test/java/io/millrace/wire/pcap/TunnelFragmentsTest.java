package io.millrace.wire.pcap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.Tunnel;
import io.millrace.wire.pcap.IpPackets.Outcome;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fragmented packets of tunnels are reassembled before the tunnel is decoded. */
class TunnelFragmentsTest {
  private static final int SECOND = 1_000_000;
  private static final String DATA = "5a".repeat(600);

  private final IpPackets packets = new IpPackets(IpLayer.INNER);
  private int identification;

  /** A packet of UDP, 10.1.0.1 to 10.1.0.2, ports 1000 to 53. */
  private static String inner() {
    return ip4("11", 0, 0, "0a0100010a010002", "03e80035" + length(8 + 600) + "0000" + DATA);
  }

  private static String length(int bytes) {
    return "%04x".formatted(bytes);
  }

  private static String ip4(
      String protocol, int id, int fragment, String addresses, String payload) {
    return "4500%04x%04x%04x40%s0000"
            .formatted(20 + payload.length() / 2, id & 0xFFFF, fragment, protocol)
        + addresses
        + payload;
  }

  private static String udp(String port, String payload) {
    return "c000" + port + length(8 + payload.length() / 2) + "0000" + payload;
  }

  /** Encapsulation of the inner packet: protocol, and bytes after the outer header. */
  private static String carrier(Tunnel tunnel) {
    return switch (tunnel) {
      case GTP_U ->
          "11" + udp("0868", "30ff" + length(inner().length() / 2) + "0000002a" + inner());
      case VXLAN -> "11" + udp("12b5", "0800000000002a00" + "0".repeat(24) + "0800" + inner());
      case GRE -> "2f" + "20000800" + "0000002a" + inner();
      case IP_IN_IP -> "04" + inner();
      default -> throw new IllegalArgumentException(tunnel.label());
    };
  }

  /** The fragments of an outer packet of IPv4 or IPv6, 256 bytes each. */
  private List<byte[]> fragments(Tunnel tunnel, boolean isV6) {
    return fragments(tunnel, isV6, ++identification);
  }

  static List<byte[]> fragments(Tunnel tunnel, boolean isV6, int identification) {
    String protocol = carrier(tunnel).substring(0, 2);
    String payload = carrier(tunnel).substring(2);
    List<byte[]> all = new ArrayList<>();
    int bytes = payload.length() / 2;
    for (int at = 0; at < bytes; at += 256) {
      boolean isLast = at + 256 >= bytes;
      String part = payload.substring(2 * at, 2 * Math.min(bytes, at + 256));
      String packet =
          isV6
              ? "60000000"
                  + length(8 + part.length() / 2)
                  + "2c40"
                  + "20010db8"
                  + "0".repeat(23)
                  + "1"
                  + "20010db8"
                  + "0".repeat(23)
                  + "2"
                  + protocol
                  + "00"
                  + length(at | (isLast ? 0 : 1))
                  + "%08x".formatted(identification)
                  + part
              : ip4(
                  protocol,
                  identification,
                  at / 8 | (isLast ? 0 : 0x2000),
                  "c0000201c0000202",
                  part);
      all.add(HexFormat.of().parseHex(packet));
    }
    assertThat(all).hasSize(3);
    return all;
  }

  private Outcome read(long micros, byte[] packet) {
    return packets.read(micros, LinkType.RAW_IP, packet, 0, packet.length);
  }

  private void assertThatInnerIsShown(Tunnel tunnel, int count) {
    assertThat(packets.tunnel()).isEqualTo(tunnel);
    assertThat(packets.packets()).isEqualTo(count);
    assertThat(packets.length()).isEqualTo(count * 628);
    assertThat(packets.end() - packets.payload()).isEqualTo(608);
    assertThat(packets.missing()).isZero();
    assertThat(packets.sourceLow() & 0xFFFFFFFFL).isEqualTo(0x0A010001L);
    assertThat(packets.bytes()[packets.end() - 1]).isEqualTo((byte) 0x5a);
    assertThat(packets.header()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({
    "GTP_U,false",
    "VXLAN,false",
    "GRE,false",
    "IP_IN_IP,false",
    "GTP_U,true",
    "VXLAN,true",
    "GRE,true",
    "IP_IN_IP,true"
  })
  void innerPacketIsReadWhenAllFragmentsAreThere(Tunnel tunnel, boolean isV6) {
    List<byte[]> one = fragments(tunnel, isV6);
    assertThat(read(0, one.get(0))).isEqualTo(Outcome.READ); // no other fragment may follow
    assertThat(packets.packets()).isEqualTo(1);
    assertThat(packets.length()).isEqualTo(628);
    assertThat(packets.missing()).isPositive();
    assertThat(read(1, one.get(1))).isEqualTo(Outcome.WAITING);
    assertThat(read(2, one.get(2))).isEqualTo(Outcome.READ);
    assertThatInnerIsShown(tunnel, 0);

    List<byte[]> other = fragments(tunnel, isV6); // others are known to follow
    assertThat(read(3, other.get(0))).isEqualTo(Outcome.WAITING);
    assertThat(read(4, other.get(2))).isEqualTo(Outcome.WAITING);
    assertThat(read(5, other.get(1))).isEqualTo(Outcome.READ);
    assertThatInnerIsShown(tunnel, 1);
    assertThat(packets.tunnelId()).isEqualTo(tunnel == Tunnel.IP_IN_IP ? -1 : 42);
    assertThat(packets.rejects().lines()).isEmpty();
  }

  @Test
  void orderAndRepetitionOfFragmentsChangeNothing() {
    List<byte[]> one = fragments(Tunnel.GTP_U, false);
    assertThat(read(0, one.get(2))).isEqualTo(Outcome.WAITING);
    assertThat(read(1, one.get(1))).isEqualTo(Outcome.WAITING);
    assertThat(read(2, one.get(1))).isEqualTo(Outcome.WAITING);
    assertThat(read(3, one.get(0))).isEqualTo(Outcome.READ);
    assertThatInnerIsShown(Tunnel.GTP_U, 1);
    assertThat(packets.tunnelLow() & 0xFFFFFFFFL).isEqualTo(0xC0000202L);
  }

  @Test
  void captureOfFirstFragmentsAloneShowsEachInnerPacketOnce() {
    for (int i = 0; i < 5; i++) {
      byte[] first = fragments(Tunnel.GTP_U, false).get(0);
      assertThat(read(i, first)).isEqualTo(Outcome.READ);
      assertThat(packets.tunnel()).isEqualTo(Tunnel.GTP_U);
      assertThat(packets.packets()).isEqualTo(1);
      assertThat(read(i, first)).as("repeated").isEqualTo(Outcome.WAITING);
    }
  }

  @Test
  void incompleteFragmentsOfOneSourceEvictNoOthers() {
    List<byte[]> one = fragments(Tunnel.GTP_U, false);
    read(0, one.get(1));
    for (int i = 0; i < 2 * FragmentTable.MAX_DATAGRAMS; i++) {
      byte[] other = fragments(Tunnel.GTP_U, false).get(1);
      other[15] = 9; // 192.0.2.9
      assertThat(read(0, other)).isEqualTo(Outcome.WAITING);
    }
    read(1, one.get(2));
    assertThat(read(2, one.get(0))).isEqualTo(Outcome.READ);
    assertThatInnerIsShown(Tunnel.GTP_U, 1);
  }

  @Test
  void fragmentsOfDifferentTimesAreNotPutTogether() {
    List<byte[]> one = fragments(Tunnel.GTP_U, false);
    read(0, one.get(2));
    read(0, one.get(1));
    assertThat(read(31L * SECOND, one.get(0))).isEqualTo(Outcome.WAITING);
    assertThat(packets.rejects().lines()).containsExactly("1 × missing-fragments");
  }

  @Test
  void fragmentsWithoutTunnelAreAsBefore() {
    String payload = udp("0035", DATA);
    byte[] first =
        HexFormat.of()
            .parseHex(ip4("11", 9, 0x2000, "c0000201c0000202", payload.substring(0, 512)));
    byte[] last =
        HexFormat.of().parseHex(ip4("11", 9, 32, "c0000201c0000202", payload.substring(512)));
    assertThat(read(0, first)).isEqualTo(Outcome.READ);
    assertThat(packets.end() - packets.payload()).isEqualTo(4);
    assertThat(read(1, last)).isEqualTo(Outcome.READ);
    assertThat(packets.tunnel()).isEqualTo(Tunnel.NONE);
    assertThat(packets.end() - packets.payload()).isEqualTo(608);
    assertThat(packets.packets()).isEqualTo(1);
    assertThat(packets.length()).isEqualTo(20 + 352);
  }
}
