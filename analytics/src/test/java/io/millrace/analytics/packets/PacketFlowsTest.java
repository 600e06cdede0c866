package io.millrace.analytics.packets;

import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.PacketReject;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacketFlowsTest {
  private static final String ETHERNET = "0".repeat(24) + "0800";
  private static final String TCP = "01bbc350" + "0".repeat(18) + "12" + "0".repeat(12);
  private static final String INSIDE = ip("11", "0a000003", "0a000004", "0035003600080000");
  private static final String ARP = "0".repeat(24) + "0806" + "0".repeat(56);
  private static final long NOW = 5_000_000;

  private static String ip(String protocol, String from, String to, String payload) {
    return "450000ff00000000ff" + protocol + "0000" + from + to + payload;
  }

  private static PacketBlock packets() {
    PacketBlock.Writer writer = new PacketBlock.Writer();
    add(writer, 1_000_000, 0, 409, ETHERNET + ip("06", "0a000001", "0a000002", TCP));
    add(writer, 2_000_000, 0, 60, ARP);
    add(writer, NOW + 60_000_001, 0, 100, ETHERNET + INSIDE);
    add(writer, 3_000_000, 7, 1_500, ETHERNET + ip("04", "0a000005", "0a000006", INSIDE));
    return writer.toBlock();
  }

  private static void add(
      PacketBlock.Writer writer, long micros, int captured, long wire, String hex) {
    byte[] packet = HexFormat.of().parseHex(hex);
    writer.add(micros, 1, captured, wire, packet, 0, packet.length);
  }

  private static List<String> text(FlowBlock flows) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < flows.rows(); row++) {
      rows.add(
          "%d %s > %s %d: %d > %d, %d bytes, %d in %d, flags %d, interface %d"
              .formatted(
                  flows.longs(FlowColumn.TIME)[row],
                  address(flows, FlowColumn.SRC_ADDR, row),
                  address(flows, FlowColumn.DST_ADDR, row),
                  flows.ints(FlowColumn.PROTO)[row],
                  flows.ints(FlowColumn.SRC_PORT)[row],
                  flows.ints(FlowColumn.DST_PORT)[row],
                  flows.longs(FlowColumn.BYTES)[row],
                  flows.longs(FlowColumn.PACKETS)[row],
                  flows.ints(FlowColumn.SAMPLING_RATE)[row],
                  flows.ints(FlowColumn.TCP_FLAGS)[row],
                  flows.ints(FlowColumn.IN_IF)[row]));
    }
    return rows;
  }

  private static String address(FlowBlock flows, FlowColumn column, int row) {
    return Addresses.toText(flows.addressHigh(column)[row], flows.addressLow(column)[row]);
  }

  private static AnalyzerTester<PacketBlock, FlowBlock> fed(IpLayer layer) {
    return AnalyzerTester.of(() -> new PacketFlows(layer, () -> NOW), PacketFlowsTest::text)
        .feed(packets())
        .expectCounted(PacketReject.NOT_IP.label(), 1)
        .expectCounted(PacketFlows.FROM_FUTURE, 1);
  }

  @Test
  void eachPacketOfIpIsAFlowThatIsNotSampled() {
    fed(IpLayer.OUTER)
        .expect(
            "1000000 10.0.0.1 > 10.0.0.2 6: 443 > 50000, 409 bytes, 1 in 1, flags 18, interface 0",
            "3000000 10.0.0.5 > 10.0.0.6 4: -1 > -1, 1500 bytes, 1 in 1, flags -1, interface 7");
  }

  @Test
  void usesTheInnerLayerIfConfigured() {
    fed(IpLayer.INNER)
        .expect(
            "1000000 10.0.0.1 > 10.0.0.2 6: 443 > 50000, 409 bytes, 1 in 1, flags 18, interface 0",
            "3000000 10.0.0.3 > 10.0.0.4 17: 53 > 54, 1500 bytes, 1 in 1, flags -1, interface 7");
  }
}
