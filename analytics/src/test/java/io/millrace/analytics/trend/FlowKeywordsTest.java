package io.millrace.analytics.trend;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.hitters.HitterKind;
import io.millrace.analytics.hitters.KeyExpressions;
import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FlowKeywordsTest {
  private static final long SECOND = 1_000_000;
  private static final TrendSettings SETTINGS =
      TrendSettings.defaults().withBucket(Duration.ofSeconds(10)).withBuckets(1).withRule(1, 1, 1);
  private static final List<HitterKind> KINDS =
      Stream.of("destination", "port", "dst_addr/24+src_port").map(HitterKind::parse).toList();

  /** Samples of TCP, each given as second, destination and port. */
  private static FlowBlock flows(int... samples) {
    int rows = samples.length / 3;
    FlowBlock block = new FlowBlock(rows);
    for (int row = 0; row < rows; row++) {
      block.longs(FlowColumn.TIME)[row] = samples[3 * row] * SECOND;
      block.addressLow(FlowColumn.DST_ADDR)[row] = Addresses.v4Low(samples[3 * row + 1]);
      block.ints(FlowColumn.DST_PORT)[row] = samples[3 * row + 2];
      block.ints(FlowColumn.SRC_PORT)[row] = FlowBlock.NULL;
      block.ints(FlowColumn.PROTO)[row] = 6;
      block.longs(FlowColumn.BYTES)[row] = 1_000_000;
      block.ints(FlowColumn.SAMPLING_RATE)[row] = 1_000;
    }
    block.rows(rows);
    return block;
  }

  private static List<String> keywords(TableBlock block) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      byte[] bytes = block.texts(1).bytes();
      int start = block.texts(1).start(row);
      int length = block.texts(1).length(row);
      String kind = FlowKeywords.kind(bytes, start, length);
      rows.add(
          block.longs(0)[row] / SECOND
              + " "
              + kind
              + " "
              + HitterKind.parse(kind)
                  .text(FlowKeywords.key(bytes, start, length), (column, id) -> null)
              + " "
              + block.longs(2)[row]);
    }
    return rows;
  }

  private static FlowBlock traffic() {
    return flows(
        1,
        0x0A000020,
        80,
        2,
        0x0A000020,
        443,
        3,
        0x0A000021,
        80,
        11,
        0x0A000020,
        80,
        12,
        0x0A000020,
        80);
  }

  @Test
  void countsSamplesOfEachKeyAndBucketOnce() throws Exception {
    List<TableBlock> out = new ArrayList<>();
    new FlowKeywords(KINDS, SETTINGS).process(traffic(), out::add);
    assertThat(out).hasSize(1);
    assertThat(keywords(out.get(0)))
        .containsExactly(
            "1 destination 10.0.0.32 2",
            "3 destination 10.0.0.33 1",
            "11 destination 10.0.0.32 2",
            "1 port 6 80 2",
            "2 port 6 443 1",
            "11 port 6 80 2",
            "1 dst_addr/24+src_port 10.0.0.0/24 - 3",
            "11 dst_addr/24+src_port 10.0.0.0/24 - 2");
  }

  @Test
  void givesTheSameKeywordsInAllWaysOfRunning() {
    AnalyzerTester.of(() -> new FlowKeywords(KINDS, SETTINGS), FlowKeywordsTest::keywords)
        .feed(flows(1, 0x0A000020, 80, 12, 0x0A000020, 443))
        .feed(flows(2, 0x0A000020, 80))
        .expect(
            "1 destination 10.0.0.32 1",
            "2 destination 10.0.0.32 1",
            "12 destination 10.0.0.32 1",
            "1 port 6 80 1",
            "2 port 6 80 1",
            "12 port 6 443 1",
            "1 dst_addr/24+src_port 10.0.0.0/24 - 1",
            "2 dst_addr/24+src_port 10.0.0.0/24 - 1",
            "12 dst_addr/24+src_port 10.0.0.0/24 - 1");
  }

  /** The name of a kind ends at the first blank of a keyword, but a condition has blanks. */
  @Test
  void aConditionKeepsItsName() {
    List<TableBlock> out = new ArrayList<>();
    KeyExpressions.Expression isOne = (flows, values) -> values[0] = 1;
    new FlowKeywords(List.of(HitterKind.parse("proto+(is 1)")), SETTINGS, text -> isOne)
        .process(flows(1, 0x0A000020, 80), out::add);
    assertThat(keywords(out.get(0))).containsExactly("1 proto+(is 1) 6 true 1");
  }

  @Test
  void blocksDoNotInfluenceEachOther() throws Exception {
    FlowKeywords keywords = new FlowKeywords(KINDS, SETTINGS);
    List<TableBlock> out = new ArrayList<>();
    keywords.process(flows(1, 1, 80, 1, 2, 80, 1, 1, 80), out::add);
    keywords.process(flows(2, 2, 80), out::add);
    assertThat(keywords(out.get(1)))
        .containsExactly(
            "2 destination 0.0.0.2 1", "2 port 6 80 1", "2 dst_addr/24+src_port 0.0.0.0/24 - 1");
  }

  @Test
  void addsTheKindOfKeyToTrends() throws Exception {
    TrendAnalyzer analyzer = new TrendAnalyzer(SETTINGS);
    analyzer.open(AnalyzerContext.alone());
    List<TableBlock> trends = new ArrayList<>();
    analyzer.watermark(0, trends::add);
    int[] many = new int[3 * 20];
    for (int i = 0; i < many.length; i += 3) {
      many[i] = 25;
      many[i + 1] = 0x0A000020;
      many[i + 2] = i;
    }
    for (FlowBlock flows : List.of(traffic(), flows(many))) {
      new FlowKeywords(KINDS, SETTINGS)
          .process(flows, block -> analyzer.process(block, none -> {}));
    }
    analyzer.watermark(30 * SECOND - 1, trends::add);
    AnalyzerTester<TableBlock, TableBlock> tester =
        AnalyzerTester.of(
            () -> new FlowTrendRows((column, id) -> null), FlowKeywordsTest::trendRows);
    trends.forEach(tester::feed);
    tester.expect("destination 10.0.0.32 20 rise", "dst_addr/24+src_port 10.0.0.0/24 - 20 rise");
  }

  private static List<String> trendRows(TableBlock block) {
    return Stream.iterate(0, row -> row < block.rows(), row -> row + 1)
        .map(
            row ->
                block.text(row, 1)
                    + " "
                    + block.text(row, 2)
                    + " "
                    + block.text(row, 3)
                    + " "
                    + block.text(row, 8))
        .toList();
  }
}
