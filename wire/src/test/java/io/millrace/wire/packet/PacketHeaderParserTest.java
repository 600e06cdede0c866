package io.millrace.wire.packet;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PacketHeaderParserTest {
  private static final PacketHeaderParser PACKETS = new PacketHeaderParser(IpLayer.OUTER);
  private static final String MACS = "020000000001020000000002";
  private static final String IPV4_TCP =
      "4528003400004000400600000a0000010a000002" + "01bbc35000000001000000028fff00000000000000";
  private static final String IPV6 =
      "62800000%04x%02x40" + "20010db8" + "0".repeat(23) + "1" + "20010db8" + "0".repeat(23) + "2";
  private static final String UDP = "003514e900080000";

  private final FlowBlock block = new FlowBlock(1);

  @Test
  void readsTcpOverIpv4() {
    assertThat(parse(LinkType.ETHERNET, MACS + "0800" + IPV4_TCP))
        .isEqualTo("10.0.0.1 10.0.0.2 6 443 50000 len=52 flags=4095 tos=40 type=800 vlan=-1");
  }

  @Test
  void outermostTagCountsAtAnyDepth() {
    String tags = "88a80064" + "81000065" + "91000066";
    assertThat(parse(LinkType.ETHERNET, MACS + tags + "0800" + IPV4_TCP)).endsWith("vlan=100");
  }

  @Test
  void aPriorityIsNoVlan() {
    String priority = "81006000";
    assertThat(parse(LinkType.ETHERNET, MACS + priority + "810000cb" + "0800" + IPV4_TCP))
        .endsWith("vlan=203");
    assertThat(parse(LinkType.ETHERNET, MACS + priority + "0800" + IPV4_TCP)).endsWith("vlan=0");
  }

  @Test
  void findsIpInFramesOfCarriersAndServices() {
    String tcp = parse(LinkType.IPV4, IPV4_TCP);
    String inner = MACS + "0800" + IPV4_TCP;
    for (String wrapping :
        new String[] {
          "88e7" + "00002710" + inner,
          "8903" + "1020" + inner, // FabricPath
          "8926" + "80050000" + "0800" + IPV4_TCP, // VN-tag
          "893f" + "000000000000" + "0800" + IPV4_TCP, // E-tag
          "88e5" + "000000000001" + "0800" + IPV4_TCP, // MACsec
          "88e5" + "200000000001" + "0200000000010001" + "0800" + IPV4_TCP,
          "22f3" + "0005" + "00010002" + inner,
          "22f3" + "0045" + "00010002" + "00000000" + inner, // a word of options
          "894f" + "0fc20201" + "00000901" + IPV4_TCP, // metadata of variable length, none
          "894f" + "0fc60101" + "00000901" + "0".repeat(32) + IPV4_TCP,
          "894f" + "0fc20203" + "00000901" + inner,
          "894f" + "0fc20205" + "00000901" + "00065140" + IPV4_TCP,
          "894f" + "0fc20204" + "00000901" + "0fc20201" + "00000901" + IPV4_TCP
        }) {
      assertThat(parse(LinkType.ETHERNET, MACS + wrapping)).as(wrapping).isEqualTo(tcp);
      for (int cut = 2; cut < wrapping.length() - IPV4_TCP.length(); cut += 2) {
        assertThat(parse(LinkType.ETHERNET, MACS + wrapping.substring(0, cut))).isEqualTo("-");
      }
    }
    assertThat(parse(LinkType.ETHERNET, MACS + "894f" + "0fc10201" + "00000901" + IPV4_TCP))
        .isEqualTo("-"); // shorter than its own header
    assertThat(parse(LinkType.ETHERNET, MACS + "88e5" + "0c0000000001" + "0800" + IPV4_TCP))
        .isEqualTo("-"); // encrypted
  }

  @Test
  void findsIpAfterPpp() {
    String tcp = parse(LinkType.IPV4, IPV4_TCP);
    for (String front :
        new String[] {
          "ff030021",
          "0021",
          "21",
          "7eff030021",
          "ff03" + "0281" + "00065140",
          "0f000800",
          "8f000800",
          "7e0f000800"
        }) {
      assertThat(parse(LinkType.PPP, front + IPV4_TCP)).as(front).isEqualTo(tcp);
    }
    assertThat(parse(LinkType.CISCO_HDLC, "0f000800" + IPV4_TCP)).isEqualTo(tcp);
    assertThat(parse(LinkType.MPLS, "00064040" + "00065140" + IPV4_TCP)).isEqualTo(tcp);
    assertThat(parse(LinkType.LLC, "aaaa030000000800" + IPV4_TCP)).isEqualTo(tcp);
    assertThat(parse(LinkType.PPP, "ff03c021" + "01010004")).isEqualTo("-"); // LCP
    assertThat(parse(LinkType.PPP, "ff")).isEqualTo("-");
  }

  @Test
  void reportsTheFirstFrameAndTheFirstStack() {
    parse(LinkType.ETHERNET, MACS + "8847" + "00064040" + "00065140" + IPV4_TCP);
    PACKETS.frame(block, 0);
    assertThat(block.longs(FlowColumn.DST_MAC)[0]).isEqualTo(0x0200_0000_0001L);
    assertThat(block.longs(FlowColumn.SRC_MAC)[0]).isEqualTo(0x0200_0000_0002L);
    assertThat(block.ints(FlowColumn.MPLS_LABEL)[0]).isEqualTo(100);
  }

  @Test
  void aFrameWithoutIpIsARowOfItsOwn() {
    assertThat(parse(LinkType.ETHERNET, MACS + "81000064" + "0806" + "0001")).isEqualTo("-");
    assertThat(PACKETS.frameWithoutIp(60, block, 0)).isTrue();
    assertThat(block.ints(FlowColumn.ETHER_TYPE)[0]).isEqualTo(0x0806);
    assertThat(block.ints(FlowColumn.SRC_VLAN)[0]).isEqualTo(100);
    assertThat(block.longs(FlowColumn.BYTES)[0]).isEqualTo(60);
    assertThat(block.longs(FlowColumn.SRC_MAC)[0]).isEqualTo(0x0200_0000_0002L);
    assertThat(Addresses.isNull(block.addressHigh(FlowColumn.SRC_ADDR)[0], -1)).isTrue();
    assertThat(block.ints(FlowColumn.PROTO)[0]).isEqualTo(-1);
    assertThat(parse(LinkType.ETHERNET, MACS + "0026" + "424203")).isEqualTo("-"); // STP
    assertThat(PACKETS.frameWithoutIp(60, block, 0)).isTrue();
    assertThat(block.ints(FlowColumn.ETHER_TYPE)[0]).isEqualTo(-1);
    assertThat(parse(LinkType.ETHERNET, MACS)).isEqualTo("-");
    assertThat(PACKETS.frameWithoutIp(60, block, 0)).isFalse();
    assertThat(parse(LinkType.PPP, "c021")).isEqualTo("-");
    assertThat(PACKETS.frameWithoutIp(60, block, 0)).isFalse();
  }

  @Test
  void findsIpAfterLabelsSnapAndPppoe() {
    String tcp = parse(LinkType.IPV4, IPV4_TCP);
    assertThat(tcp).startsWith("10.0.0.1 10.0.0.2 6 443 50000");
    for (String wrapping :
        new String[] {
          "8847" + "00064040" + "00065140", // two labels
          "0100" + "aaaa03000000" + "0800",
          "8864" + "11000001003d" + "0021",
          "8864" + "11000001003d" + "21" // protocol field compressed
        }) {
      assertThat(parse(LinkType.ETHERNET, MACS + wrapping + IPV4_TCP)).isEqualTo(tcp);
    }
  }

  @Test
  void readsTheLinkTypesOfCaptures() {
    String tcp = parse(LinkType.RAW_IP, IPV4_TCP);
    String sll = "0000" + "0001" + "0006" + "0200000000010000" + "0800";
    String sll2 = "0800" + "0000" + "00000001" + "0001" + "00" + "06" + "0200000000010000";
    assertThat(parse(LinkType.LINUX_SLL, sll + IPV4_TCP)).isEqualTo(tcp);
    assertThat(parse(LinkType.LINUX_SLL2, sll2 + IPV4_TCP)).isEqualTo(tcp);
    assertThat(parse(LinkType.NULL, "02000000" + IPV4_TCP)).isEqualTo(tcp);
    assertThat(parse(LinkType.LOOP, "00000002" + IPV4_TCP)).isEqualTo(tcp);
    assertThat(parse(LinkType.UNKNOWN, IPV4_TCP)).isEqualTo("-");
  }

  @Test
  void walksAlongExtensionHeaders() {
    String chain = "2b00000000000000" + "3c00000000000000" + "1101" + "0".repeat(28);
    assertThat(parse(LinkType.IPV6, ipv6(40, 0) + chain + UDP))
        .isEqualTo("2001:db8::1 2001:db8::2 17 53 5353 len=80 flags=-1 tos=40 type=86dd vlan=-1");
  }

  @Test
  void onlyTheFirstFragmentHasPorts() {
    assertThat(parse(LinkType.IPV6, ipv6(16, 44) + "1100000100000001" + UDP)).contains(" 17 53 ");
    assertThat(parse(LinkType.IPV6, ipv6(16, 44) + "1100000800000001" + UDP)).contains(" 17 -1 ");
    String later = IPV4_TCP.replace("00004000", "00002001");
    assertThat(parse(LinkType.IPV4, later)).contains(" 6 -1 -1 ");
  }

  @Test
  void lengthOfZeroIsTheJumboOptionsOrTheFrames() {
    String jumbo = "1100" + "c20400012345";
    assertThat(parse(LinkType.IPV6, ipv6(0, 0) + jumbo + UDP)).contains("len=" + (0x12345 + 40));
    assertThat(parse(LinkType.IPV6, ipv6(0, 17) + UDP)).contains("len=9000");
    assertThat(parse(LinkType.IPV6, ipv6(0, 59))).contains("len=40");
    assertThat(parse(LinkType.IPV4, IPV4_TCP.replaceFirst("0034", "0000"))).contains("len=9000");
  }

  @Test
  void typeAndCodeOfIcmpStandWherePortsWould() {
    assertThat(parse(LinkType.IPV6, ipv6(8, 58) + "8702000000000000")).contains(" 58 135 2 ");
  }

  @Test
  void paddingAfterThePacketIsNotItsTransport() {
    String empty = "45000014" + "00000000" + "40060000" + "0a0000010a000002";
    assertThat(parse(LinkType.IPV4, empty + "0102030405060708")).contains(" 6 -1 -1 len=20 ");
  }

  @Test
  void keepsWhatPrecedesTheTruncation() {
    byte[] whole = HexFormat.of().parseHex(IPV4_TCP);
    for (int length = 0; length <= whole.length; length++) {
      boolean isIp =
          PACKETS.parse(LinkType.IPV4, Arrays.copyOf(whole, length), 0, length, 52, block, 0);
      assertThat(isIp).isEqualTo(length >= 20);
      if (isIp) {
        assertThat(block.ints(FlowColumn.SRC_PORT)[0]).isEqualTo(length >= 22 ? 443 : -1);
        assertThat(block.ints(FlowColumn.DST_PORT)[0]).isEqualTo(length >= 24 ? 50_000 : -1);
        assertThat(block.ints(FlowColumn.TCP_FLAGS)[0]).isEqualTo(length >= 34 ? 0xFFF : -1);
        assertThat(block.longs(FlowColumn.BYTES)[0]).isEqualTo(52);
      }
    }
  }

  /** Detects reads outside the packet: parses it alone, and within other bytes. */
  @Test
  void takesAnyBytes() {
    Random random = new Random(1);
    String[] starts = {
      "0800", "86dd", "8100", "8847", "8864", "0040aaaa03000000", "86dd6000000000"
    };
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(120)];
      random.nextBytes(bytes);
      byte[] start = HexFormat.of().parseHex(starts[random.nextInt(starts.length)]);
      if (bytes.length >= 12 + start.length) {
        System.arraycopy(start, 0, bytes, 12, start.length);
      }
      LinkType link = LinkType.values()[random.nextInt(LinkType.values().length)];
      byte[] among = new byte[bytes.length + 64];
      random.nextBytes(among);
      System.arraycopy(bytes, 0, among, 32, bytes.length);
      assertThat(parse(link, among, 32, bytes.length))
          .isEqualTo(parse(link, bytes, 0, bytes.length));
    }
  }

  private static String ipv6(int payloadLength, int next) {
    return String.format(IPV6, payloadLength, next);
  }

  private String parse(LinkType link, String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    int linkLength = hex.indexOf("45") == 0 || hex.startsWith("6") ? 0 : 14;
    return parse(link, bytes, 0, bytes.length, 9000 + linkLength);
  }

  private String parse(LinkType link, byte[] bytes, int off, int length) {
    return parse(link, bytes, off, length, length);
  }

  private String parse(LinkType link, byte[] bytes, int off, int length, int wireLength) {
    if (!PACKETS.parse(link, bytes, off, length, wireLength, block, 0)) {
      return "-";
    }
    return String.format(
        "%s %s %d %d %d len=%d flags=%d tos=%d type=%x vlan=%d",
        Addresses.toText(
            block.addressHigh(FlowColumn.SRC_ADDR)[0], block.addressLow(FlowColumn.SRC_ADDR)[0]),
        Addresses.toText(
            block.addressHigh(FlowColumn.DST_ADDR)[0], block.addressLow(FlowColumn.DST_ADDR)[0]),
        block.ints(FlowColumn.PROTO)[0],
        block.ints(FlowColumn.SRC_PORT)[0],
        block.ints(FlowColumn.DST_PORT)[0],
        block.longs(FlowColumn.BYTES)[0],
        block.ints(FlowColumn.TCP_FLAGS)[0],
        block.ints(FlowColumn.TOS)[0],
        block.ints(FlowColumn.ETHER_TYPE)[0],
        block.ints(FlowColumn.SRC_VLAN)[0]);
  }
}
