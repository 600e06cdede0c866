package io.millrace.analytics.packets;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.PacketReject;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PacketCountsTest {
  private static final String ETHERNET = "0".repeat(24) + "0800";
  private static final String TCP = ip("06", "0a000001", "0a000002", "01bbc350" + "0".repeat(32));
  private static final String UDP = ip("11", "0a000003", "0a000004", "00350036" + "00080000");
  private static final String INSIDE = ip("04", "0a000005", "0a000006", TCP);
  private static final String ARP = "0".repeat(24) + "0806" + "0".repeat(56);

  private static String ip(String protocol, String from, String to, String payload) {
    return "450000ff00000000ff" + protocol + "0000" + from + to + payload;
  }

  private static void add(PacketBlock.Writer writer, long micros, long wire, String hex) {
    byte[] packet = HexFormat.of().parseHex(hex);
    writer.add(micros, 1, 0, wire, packet, 0, packet.length);
  }

  private static PacketBlock packets() {
    PacketBlock.Writer writer = new PacketBlock.Writer();
    add(writer, 1_000_000, 100, ETHERNET + TCP);
    add(writer, 1_999_999, 200, ETHERNET + TCP);
    add(writer, 2_000_000, 300, ETHERNET + UDP);
    add(writer, 1_500_000, 400, ETHERNET + TCP);
    add(writer, 61_000_000, 60, ARP);
    add(writer, 61_000_000, 500, ETHERNET + INSIDE);
    return writer.toBlock();
  }

  @Test
  void countsBySecondAndProtocol() {
    AnalyzerTester.of(() -> new PacketCounts(IpLayer.OUTER, false))
        .feed(packets())
        .feed(packets())
        .expectCounted(PacketReject.NOT_IP.label(), 2)
        .expect("1000000 6 6 1400", "2000000 17 2 600", "61000000 null 2 120", "61000000 4 2 1000");
  }

  private static List<String> flows(IpLayer layer) {
    PacketCounts counts = new PacketCounts(layer, true);
    counts.open(AnalyzerContext.alone());
    List<String> flows = new ArrayList<>();
    Emitter<TableBlock> out =
        new Emitter<>() {
          @Override
          public void emit(TableBlock block) {}

          @Override
          public <B extends Block> void emit(Output<B> output, B block) {
            TableBlock rows = (TableBlock) block;
            for (int row = 0; row < rows.rows(); row++) {
              flows.add(
                  rows.longs(0)[row]
                      + " "
                      + (rows.addressLow(1)[row] & 255)
                      + ">"
                      + (rows.addressLow(2)[row] & 255)
                      + " "
                      + rows.longs(3)[row]
                      + " "
                      + rows.longs(4)[row]
                      + ">"
                      + rows.longs(5)[row]
                      + " "
                      + rows.longs(6)[row]
                      + " "
                      + rows.longs(7)[row]);
            }
          }
        };
    counts.process(packets(), out);
    counts.tick(0, out);
    counts.tick(1, out);
    return flows;
  }

  @Test
  void countsBy5TupleOfTheLayerAskedFor() {
    String none = Long.toString(TableBlock.NULL);
    assertThat(flows(IpLayer.OUTER))
        .containsExactly(
            "0 1>2 6 443>50000 3 700",
            "0 3>4 17 53>54 1 300",
            "60000000 5>6 4 " + none + ">" + none + " 1 500");
    assertThat(flows(IpLayer.INNER))
        .containsExactly(
            "0 1>2 6 443>50000 3 700", "0 3>4 17 53>54 1 300", "60000000 1>2 6 443>50000 1 500");
  }

  @Test
  void emittedRowsAndStateAddUpAfterAnyFailure() throws Exception {
    Random random = new Random(1);
    Map<String, Long> expected = new TreeMap<>();
    Map<String, Long> told = new TreeMap<>();
    PacketCounts counts = opened();
    for (int turn = 0; turn < 200; turn++) {
      PacketBlock.Writer writer = new PacketBlock.Writer();
      for (int i = random.nextInt(50); i > 0; i--) {
        long time = random.nextInt(5) * 1_000_000L + random.nextInt(1_000_000);
        boolean isTcp = random.nextBoolean();
        add(writer, time, i, ETHERNET + (isTcp ? TCP : UDP));
        expected.merge(time / 1_000_000 * 1_000_000 + (isTcp ? " 6" : " 17"), 1L, Long::sum);
      }
      counts.process(writer.toBlock(), out(told));
      if (random.nextInt(4) == 0) {
        counts.tick(0, out(told));
      }
      if (random.nextInt(4) == 0) {
        PacketCounts restored = opened();
        counts.snapshot(restored::restore);
        counts = restored;
      }
    }
    counts.watermark(Long.MAX_VALUE, out(told));
    assertThat(told).isEqualTo(expected);
  }

  private static PacketCounts opened() {
    PacketCounts counts = new PacketCounts(IpLayer.OUTER, false);
    counts.open(AnalyzerContext.alone());
    return counts;
  }

  private static Emitter<TableBlock> out(Map<String, Long> told) {
    return rows -> {
      for (int row = 0; row < rows.rows(); row++) {
        told.merge(rows.longs(0)[row] + " " + rows.longs(1)[row], rows.longs(2)[row], Long::sum);
      }
    };
  }
}
