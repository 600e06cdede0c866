package io.millrace.analytics.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.IpLayer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class PacketEndsTest {
  private static final int RAW_IP = 101;
  private static final String OUTER = "c0000201" + "c0000202";
  private static final String INNER = "0a010001" + "0a010002";
  private static final String INNER_BACK = "0a010002" + "0a010001";

  private static String ip4(String protocol, int fragment, String addresses, String payload) {
    return "4500%04x0007%04x40%s0000".formatted(20 + payload.length() / 2, fragment, protocol)
        + addresses
        + payload;
  }

  private static int[] hashes(IpLayer layer, String... packets) {
    PacketBlock.Writer writer = new PacketBlock.Writer();
    for (String packet : packets) {
      byte[] bytes = HexFormat.of().parseHex(packet);
      writer.add(1, RAW_IP, 0, bytes.length, bytes, 0, bytes.length);
    }
    int[] hashes = new int[packets.length];
    new PacketEnds(layer).hashes(writer.toBlock(), hashes);
    return hashes;
  }

  private static String inner(String addresses) {
    return ip4("11", 0, addresses, "03e8003500100000" + "5a".repeat(8));
  }

  @Test
  void allFragmentsOfATunnelsPacketHaveOneKey() {
    String first = ip4("04", 0x2000, OUTER, inner(INNER));
    String last = ip4("04", 5, OUTER, "5a".repeat(40));
    int[] hashes = hashes(IpLayer.INNER, first, last, ip4("04", 0, OUTER, inner(INNER)));
    assertThat(hashes[0]).isEqualTo(hashes[1]);
    assertThat(hashes[2]).isNotEqualTo(hashes[0]);
  }

  @Test
  void packetsBetweenTheSameHostsInATunnelHaveOneKeyInBothDirections() {
    int[] hashes =
        hashes(
            IpLayer.INNER,
            ip4("04", 0, OUTER, inner(INNER)),
            ip4("04", 0, "c0000203c0000204", inner(INNER_BACK)),
            inner(INNER));
    assertThat(hashes).containsOnly(hashes[0]).doesNotContain(PacketEnds.NONE);
  }

  @Test
  void fragmentsInsideATunnelAreKeyedByTheirOwnAddresses() {
    String first = ip4("11", 0x2000, INNER, "03e8003500300000" + "5a".repeat(8));
    String last = ip4("11", 2, INNER, "5a".repeat(32));
    int[] hashes =
        hashes(IpLayer.INNER, ip4("04", 0, OUTER, first), ip4("04", 0, OUTER, last), inner(INNER));
    assertThat(hashes).containsOnly(hashes[0]);
  }

  @Test
  void theOuterLayerIsKeyedByOuterAddresses() {
    int[] hashes =
        hashes(
            IpLayer.OUTER,
            ip4("04", 0x2000, OUTER, inner(INNER)),
            ip4("04", 0, OUTER, inner(INNER_BACK)));
    assertThat(hashes).containsOnly(hashes[0]);
  }
}
