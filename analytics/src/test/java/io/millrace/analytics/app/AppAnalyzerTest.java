package io.millrace.analytics.app;

import static io.millrace.analytics.flowtable.TestPackets.tcp;
import static io.millrace.analytics.flowtable.TestPackets.text;
import static io.millrace.analytics.flowtable.TestPackets.udp;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.analytics.flowtable.Packet;
import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class AppAnalyzerTest {
  private static final int RAW_IP = 101;
  private static final int A = 0x0A000001;
  private static final int B = 0x0A000002;
  private static final int C = 0x0A000003;
  private static final int DATA = Packet.ACK | 8;
  private static final AppNames NAMES = AppNames.builtIn();

  private final PacketBlock.Writer writer = new PacketBlock.Writer();

  private static AppAnalyzer analyzer() {
    return new AppAnalyzer(
        FlowTableConfig.defaults(), IpLayer.INNER, ClassifierKind.BUILT_IN, NAMES, false);
  }

  private void add(long micros, byte[] packet) {
    writer.add(micros, RAW_IP, 0, packet.length, packet, 0, packet.length);
  }

  /**
   * A request in three reordered segments, interleaved with packets of the same and other hosts.
   */
  private PacketBlock packets() {
    add(1_000_000, tcp(A, 4_000, B, 80, Packet.SYN, 99, new byte[0]));
    add(1_000_100, tcp(B, 80, A, 4_000, Packet.SYN | Packet.ACK, 9, new byte[0]));
    add(1_000_300, tcp(A, 4_000, B, 80, Packet.ACK, 100, new byte[0]));
    add(1_000_400, tcp(A, 4_000, B, 80, DATA, 104, text("/ HTTP/1.1\r\nHost: www.nu")));
    add(1_000_500, tcp(A, 4_000, B, 80, DATA, 100, text("GET ")));
    add(1_000_600, tcp(A, 4_001, B, 22, DATA, 1, text("SSH-2.0-x\r\n")));
    add(1_000_700, tcp(A, 4_000, B, 80, DATA, 128, text("llmill.youtube.com\r\n\r\n")));
    add(1_000_800, udp(C, 5_000, B, 5_001, new byte[3]));
    add(1_000_900, tcp(B, 80, A, 4_000, DATA, 10, text("HTTP/1.1 200 OK\r\n\r\n")));
    return writer.toBlock();
  }

  /** Splits sums into single packets and flows, since sums come in parts. */
  private static List<String> units(TableBlock sums) {
    List<String> units = new ArrayList<>();
    for (int row = 0; row < sums.rows(); row++) {
      String key = sums.text(row, 0) + " " + sums.text(row, 1);
      units.addAll(Collections.nCopies((int) sums.longs(2)[row], key + " packet"));
      units.addAll(Collections.nCopies((int) sums.longs(4)[row], key + " flow"));
    }
    return units;
  }

  private static String[] units() {
    List<String> units = new ArrayList<>(Collections.nCopies(9, "0 YouTube packet"));
    units.set(7, "0 SSH packet");
    units.set(8, "0 Unknown packet");
    units.addAll(List.of("0 YouTube flow", "0 SSH flow", "0 Unknown flow"));
    return units.toArray(String[]::new);
  }

  @Test
  void flowsAreTheSameHoweverOftenTheyAreRestored() {
    AnalyzerTester.of(AppAnalyzerTest::analyzer)
        .keyedBy(new PacketEnds(IpLayer.INNER))
        .feed(packets())
        .expectIn(AppAnalyzer.SUMS, AppAnalyzerTest::units, units())
        .expect(
            "1000000 1000900 10.0.0.1 10.0.0.2 6 4000 80 7 349 2 99 YouTube http-host HTTP"
                + " www.nullmill.youtube.com 300 1  null null",
            "1000600 1000600 10.0.0.1 10.0.0.2 6 4001 22 1 51 0 0 SSH payload SSH  null 0  null null",
            "1000800 1000800 10.0.0.3 10.0.0.2 17 5000 5001 1 31 0 0 Unknown nothing Unknown"
                + "  null 0  null null");
  }

  private static final class Sums implements Emitter<TableBlock> {
    final List<String> rows = new ArrayList<>();

    @Override
    public void emit(TableBlock block) {}

    @Override
    public <T extends Block> void emit(Output<T> output, T block) {
      TableBlock sums = (TableBlock) block;
      for (int row = 0; row < sums.rows(); row++) {
        List<String> cells = new ArrayList<>();
        for (int column = 0; column < 5; column++) {
          cells.add(sums.text(row, column));
        }
        rows.add(String.join(" ", cells));
      }
    }
  }

  @Test
  void sumsHaveEachPacketOnceUnderTheFinalApplication() {
    AppAnalyzer analyzer = analyzer();
    analyzer.open(AnalyzerContext.alone());
    Sums sums = new Sums();
    analyzer.process(packets(), sums);
    // The next packet after the request was the response: earlier packets are counted with it.
    assertThat(sums.rows).containsExactlyInAnyOrder("0 YouTube 7 349 1", "0 SSH 1 51 1");
    analyzer.watermark(Long.MAX_VALUE, sums);
    assertThat(sums.rows).hasSize(3).contains("0 Unknown 1 31 1");
  }
}
