package io.millrace.analytics.hitters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.hitters.Flows.Flow;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NetworksTest {
  private static HitterSettings settings(Algorithm algorithm, String... keys) {
    return Flows.settings(
        algorithm, HitterSettings.Measure.PACKETS, "5%", HitterSettings.MIN_MEMORY, keys);
  }

  private static void setSource(FlowBlock flows, int row, String address) {
    long[] halves = new long[2];
    assertThat(Addresses.parse(address, halves)).isTrue();
    flows.addressHigh(FlowColumn.SRC_ADDR)[row] = halves[0];
    flows.addressLow(FlowColumn.SRC_ADDR)[row] = halves[1];
  }

  /** A flow with the given number of packets from each source. */
  private static FlowBlock from(int second, long packets, String... sources) {
    List<Flow> flows = new ArrayList<>();
    for (int i = 0; i < sources.length; i++) {
      flows.add(new Flow(second, 0, 1, packets, packets, 1));
    }
    FlowBlock block = Flows.block(flows);
    for (int i = 0; i < sources.length; i++) {
      setSource(block, i, sources[i]);
    }
    return block;
  }

  private static String[] hosts(String prefix, int count) {
    String[] hosts = new String[count];
    for (int i = 0; i < count; i++) {
      hosts[i] = prefix + Integer.toHexString(i + 1);
    }
    return hosts;
  }

  /** 200 packets, so 10 are heavy. 10.1.3.1 and the rest of 10.0.0.0/8 are heavy together. */
  @ParameterizedTest
  @EnumSource(
      value = Algorithm.class,
      names = {"MV", "COCO"})
  void eachNetworkIsReportedOnceAtTheLengthWhereItIsHeavy(Algorithm algorithm) throws Exception {
    List<FlowBlock> flows =
        List.of(
            from(1, 40, "10.1.1.1"),
            from(1, 4, "10.1.2.3", "10.1.2.4", "10.1.2.5", "10.1.3.1"),
            from(1, 6, "10.2.0.1", "10.3.0.1", "10.4.0.1"),
            from(1, 1, hosts("2001:db8:1:2::", 30)), // in one /64
            from(1, 8, "2001:db8:1:3::1", "2001:db8:200::1"), // only the /32 in common
            from(1, 80, "192.0.2.1"));
    List<String> rows =
        Steps.rows(
            Steps.run(settings(algorithm, "source-networks", "destination"), flows, 2, false),
            "kind",
            "key",
            "src_addr",
            "rank",
            "estimate",
            "own");
    assertThat(rows)
        .containsExactlyInAnyOrder(
            "source-networks 192.0.2.1/32 192.0.2.1 1 80 80",
            "source-networks 10.1.1.1/32 10.1.1.1 2 40 40",
            "source-networks 2001:db8:1:2::/64 2001:db8:1:2:: 3 30 30",
            "source-networks 10.0.0.0/8 10.0.0.0 4 74 22",
            "source-networks 2001:db8::/32 2001:db8:: 5 46 16",
            "source-networks 10.1.2.0/24 10.1.2.0 6 12 12",
            "destination 10.0.1.1 null 1 200 null");
  }

  @Test
  void changesAreReportedForTheLongestNetwork() throws Exception {
    List<FlowBlock> flows =
        List.of(
            from(1, 50, "10.1.1.1"),
            from(1, 50, "10.2.1.1"),
            from(11, 50, "10.1.1.1"),
            from(11, 5, hosts("2001:db8:1:2::", 10)));
    assertThat(
            Steps.rows(
                Steps.run(settings(Algorithm.MV, "src_addr/*"), flows, 1, true),
                "epoch",
                "key",
                "change_rank",
                "change"))
        .contains("10000000 10.2.1.1/32 1 -50", "10000000 2001:db8:1:2::/64 2 50")
        .filteredOn(row -> row.startsWith("10000000"))
        .hasSize(3) // the remaining one is heavy
        .contains("10000000 10.1.1.1/32 null 0");
  }

  /** A network has its own details, at each length. */
  @Test
  void detailsAreThoseOfTheWholeNetwork() throws Exception {
    List<FlowBlock> flows = List.of(from(1, 10, hosts("10.1.2.", 9)), from(2, 10, "10.9.9.9"));
    assertThat(
            Steps.rows(
                Steps.run(settings(Algorithm.MV, "src_addr/*"), flows, 1, false),
                "key",
                "own",
                "sources",
                "protocols"))
        .contains("10.1.2.1/32 10 1 tcp 100%")
        .noneMatch(row -> row.startsWith("10.1.2.0/24")); // each of its hosts is heavy
    HitterSettings fifth =
        Flows.settings(
            HitterSettings.Measure.PACKETS, "20%", HitterSettings.MIN_MEMORY, "src_addr/*");
    assertThat(Steps.rows(Steps.run(fifth, flows, 1, false), "key", "own", "sources"))
        .containsExactly("10.1.2.0/24 90 9");
  }

  @Test
  void standsAlone() {
    assertThatThrownBy(() -> HitterKind.parse("src_addr/*+dst_port"))
        .hasMessageContaining("cannot be combined with other columns");
    assertThatThrownBy(() -> HitterKind.parse("dst_port/*")).hasMessageContaining("an address");
  }
}
