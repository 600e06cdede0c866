package io.millrace.wire.pcap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.packet.GtpControl;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaders;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Both readers of packets give a reason for each rejected packet. */
class PacketRejectsTest {
  private static final String MACS = "0".repeat(24);
  private static final String ADDRESSES = "0a0000010a000002";
  private static final String UDP = "c000003500080000";

  private final IpPackets packets = new IpPackets(IpLayer.INNER);
  private final PacketHeaders headers = new PacketHeaders();
  private long time;

  private static String ipv4(String protocol, String payload) {
    return "4500%04x0000000040%s0000".formatted(20 + payload.length() / 2, protocol)
        + ADDRESSES
        + payload;
  }

  private static String udp(String port, String payload) {
    return ipv4("11", "c000" + port + "%04x0000".formatted(8 + payload.length() / 2) + payload);
  }

  private void captured(LinkType link, String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    packets.read(time++, link, bytes, 0, bytes.length);
  }

  /** Reason counted by the reader of flows, and by the one of headers. */
  private String why(LinkType link, String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    IpPackets fresh = new IpPackets(IpLayer.INNER);
    IpPackets.Outcome outcome = fresh.read(0, link, bytes, 0, bytes.length);
    boolean isIp = headers.read(IpLayer.INNER, link, bytes, 0, bytes.length, bytes.length);
    assertThat(isIp).isEqualTo(outcome == IpPackets.Outcome.READ);
    String other = headers.reject() == null ? "" : "1 × " + headers.reject().label();
    assertThat(fresh.rejects().lines()).containsExactlyElementsOf(other.lines().toList());
    return other;
  }

  @Test
  void framesWithoutAnIpHeader() {
    assertThat(why(LinkType.UNKNOWN, ipv4("11", UDP))).isEqualTo("1 × unknown-link");
    assertThat(why(LinkType.ETHERNET, MACS + "0806" + "0".repeat(56))).isEqualTo("1 × not-ip");
    assertThat(why(LinkType.ETHERNET, "00".repeat(10))).isEqualTo("1 × short-frame");
    assertThat(why(LinkType.ETHERNET, MACS + "81000064")).isEqualTo("1 × short-frame");
    assertThat(why(LinkType.ETHERNET, MACS + "884700064040")).isEqualTo("1 × short-frame");
    assertThat(why(LinkType.ETHERNET, MACS + "0800" + "45000020")).isEqualTo("1 × cut-ip-header");
    assertThat(why(LinkType.ETHERNET, MACS + "86dd" + "60000000")).isEqualTo("1 × cut-ip-header");
    String wrong = "43" + ipv4("11", UDP).substring(2);
    assertThat(why(LinkType.IPV4, wrong)).isEqualTo("1 × bad-ip-header");
    assertThat(why(LinkType.ETHERNET, MACS + "0800" + ipv4("11", UDP))).isEmpty();
  }

  @Test
  void framesOfFabricsAndServicesHaveAnIpHeader() {
    String ip = ipv4("11", UDP);
    String inner = MACS + "0800" + ip;
    for (String wrapping :
        new String[] {
          "8903" + "1020" + inner,
          "8926" + "80050000" + "0800" + ip,
          "893f" + "000000000000" + "0800" + ip,
          "88e7" + "00002710" + inner,
          "22f3" + "0045" + "00010002" + "00000000" + inner,
          "88e5" + "000000000001" + "0800" + ip,
          "88e5" + "200000000001" + "0200000000010001" + "0800" + ip,
          "894f" + "0fc60101" + "00000901" + "0".repeat(32) + ip,
          "894f" + "0fc20203" + "00000901" + inner
        }) {
      assertThat(why(LinkType.ETHERNET, MACS + wrapping)).as(wrapping).isEmpty();
      for (int cut = 4; cut < wrapping.length() - ip.length(); cut += 2) {
        assertThat(why(LinkType.ETHERNET, MACS + wrapping.substring(0, cut)))
            .as(wrapping.substring(0, cut))
            .isEqualTo("1 × short-frame");
      }
    }
    assertThat(why(LinkType.ETHERNET, MACS + "88e5" + "0c0000000001" + "0800" + ip))
        .isEqualTo("1 × not-ip");
  }

  @Test
  void anAuthenticationHeaderOfIpv4IsSteppedOver() {
    String authenticated = ipv4("33", "11040000" + "0".repeat(40) + UDP);
    captured(LinkType.IPV4, authenticated);
    assertThat(packets.protocol()).isEqualTo(17);
    assertThat(packets.end() - packets.payload()).isEqualTo(UDP.length() / 2);
    byte[] bytes = HexFormat.of().parseHex(authenticated);
    headers.read(IpLayer.OUTER, LinkType.IPV4, bytes, 0, bytes.length, bytes.length);
    assertThat(headers.protocol()).isEqualTo(17);
    assertThat(headers.dstPort()).isEqualTo(0x35);
  }

  @Test
  void aWholeFrameBoundsThePacketsLength() {
    byte[] bytes = HexFormat.of().parseHex("4500ffff" + ipv4("11", UDP).substring(8) + "000000");
    packets.read(0, LinkType.IPV4, bytes, 0, bytes.length, bytes.length);
    assertThat(packets.length()).isEqualTo(bytes.length);
    assertThat(packets.missing()).isZero();
    packets.read(0, LinkType.IPV4, bytes, 0, bytes.length, 65_535);
    assertThat(packets.length()).isEqualTo(65_535);
    byte[] padded = HexFormat.of().parseHex(ipv4("11", UDP) + "0".repeat(36));
    packets.read(0, LinkType.IPV4, padded, 0, padded.length, padded.length);
    assertThat(packets.length()).isEqualTo(28);
  }

  @Test
  void lengthsOfIpThatCannotBe() {
    captured(
        LinkType.RAW_IP,
        "4500000a" + ipv4("11", UDP).substring(8)); // length below that of its header
    captured(LinkType.RAW_IP, "75" + ipv4("11", UDP).substring(2)); // version 7
    captured(LinkType.RAW_IP, "4f" + ipv4("11", UDP).substring(2)); // truncated options
    captured(LinkType.RAW_IP, "6000000000080040" + "0".repeat(64) + "1101" + "0".repeat(12));
    assertThat(packets.rejects().lines()).containsExactly("2 × cut-ip-header", "2 × bad-ip-header");
  }

  @Test
  void invalidTunnelsAreRejectsOfTheirOuterPackets() {
    String inner = ipv4("11", UDP);
    for (String opened :
        new String[] {
          udp("0868", "30ff" + "0024" + "0000002a" + inner),
          udp("0868", "32010004" + "0".repeat(16)), // an echo, not a user's packet
          udp("12b5", "0800000000002a00" + MACS + "0806" + "0".repeat(56)), // ARP inside
          ipv4("2f", "2081880b" + "0000002a" + "00000001"), // an acknowledgement of PPTP
          "4500001c000020b9" + ipv4("04", inner.substring(0, 16)).substring(16), // a later fragment
          ipv4("04", inner)
        }) {
      assertThat(readTunnel(opened)).as(opened).isEmpty();
    }
    for (String broken :
        new String[] {
          udp(
              "0868",
              "34ff" + "0004" + "0000002a" + "00000085" + "00000000"), // extension of length 0
          udp("0868", "30ff" + "0004" + "0000002a" + inner.substring(0, 16)),
          udp("12b5", "0000000000002a00" + inner),
          udp("17c1", "80006558"),
          ipv4("2f", "0002" + "0800" + inner), // an invalid version
          ipv4("2f", "2000"),
          ipv4("04", "35" + inner.substring(2))
        }) {
      assertThat(readTunnel(broken)).as(broken).isEqualTo("1 × bad-tunnel");
    }
  }

  private String readTunnel(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    IpPackets fresh = new IpPackets(IpLayer.INNER);
    fresh.read(0, LinkType.RAW_IP, bytes, 0, bytes.length);
    assertThat(headers.read(LinkType.RAW_IP, bytes, 0, bytes.length, bytes.length)).isTrue();
    assertThat(headers.reject()).isNull();
    return String.join(", ", fresh.rejects().lines());
  }

  private static String fragment(int id, int at, boolean hasMore, String payload) {
    return "4500%04x%04x%04x40110000"
            .formatted(20 + payload.length() / 2, id, at / 8 | (hasMore ? 0x2000 : 0))
        + ADDRESSES
        + payload;
  }

  @Test
  void incompleteOrContradictoryFragments() {
    captured(LinkType.RAW_IP, fragment(1, 0, true, UDP));
    captured(LinkType.RAW_IP, fragment(1, 0, true, UDP.replace('c', 'd'))); // contradicts the first
    captured(LinkType.RAW_IP, fragment(2, 8, true, "010203")); // others cannot follow it
    captured(LinkType.RAW_IP, fragment(3, 65_528, false, UDP + UDP)); // beyond the maximum length
    captured(LinkType.RAW_IP, fragment(4, 0, true, UDP));
    time += 31_000_000;
    captured(LinkType.RAW_IP, fragment(4, 0, true, UDP)); // identification of another packet by now
    assertThat(packets.rejects().lines())
        .containsExactly(
            "2 × bad-fragment", "1 × missing-fragments", "1 × contradicting-fragments");
  }

  @Test
  void truncatedOrInvalidControlMessages() {
    GtpControl message = new GtpControl();
    for (String sound :
        new String[] {
          "32010004" + "0".repeat(16), // an echo
          "32100006" + "0".repeat(16) + "0e01", // a complete element
          "4020000a" + "00000100" + "02000200" + "1000"
        }) {
      byte[] bytes = HexFormat.of().parseHex(sound);
      message.read(bytes, 0, bytes.length);
      assertThat(message.isBroken()).as(sound).isFalse();
    }
    for (String broken :
        new String[] {
          "321000",
          "f2100004" + "0".repeat(16), // version 7
          "32100004" + "00000000" + "0000", // truncated
          "3210000c" + "0".repeat(16) + "8500ff0a", // an element longer than the message
          "402000ff" + "00000100" + "02000200" + "1000",
          "4020000a" + "00000100" + "02000900" + "1000"
        }) {
      byte[] bytes = HexFormat.of().parseHex(broken);
      message.read(bytes, 0, bytes.length);
      assertThat(message.isBroken()).as(broken).isTrue();
    }
  }
}
