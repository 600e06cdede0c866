package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.Flows.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.hitters.Flows.Flow;
import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Selectable;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class HitterStepsTest {
  private static final HitterSettings SETTINGS =
      Flows.settings(
          HitterSettings.Measure.PACKETS, "10%", HitterSettings.MIN_MEMORY, "source", "pair");

  private static final FlowBlock FIRST =
      Flows.block(
          new Flow(1, 1, 1, 60, 600, 1),
          new Flow(2, 2, 1, 30, 300, 1),
          new Flow(3, 3, 1, 1, 10, 10),
          new Flow(4, 4, 1, 1, 10, 1));
  private static final FlowBlock SECOND_EPOCH =
      Flows.block(new Flow(11, 1, 1, 5, 50, 1), new Flow(12, 2, 2, 95, 950, 1));

  private static List<TableBlock> keys(FlowBlock flows) {
    HitterKeys keys = new HitterKeys(SETTINGS);
    keys.open(AnalyzerContext.alone());
    List<TableBlock> rows = new ArrayList<>();
    keys.process(flows, rows::add);
    return rows;
  }

  /** Each key of a part, with its weight. */
  private static List<String> counted(TableBlock parts) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < parts.rows(); row++) {
      HitterKind kind = SETTINGS.kinds().get((int) parts.longs(HitterSettings.KIND)[row]);
      int group = (int) parts.longs(HitterSettings.GROUP)[row];
      Texts texts = parts.texts(HitterSettings.COUNTS);
      int start = texts.start(row);
      byte[] bytes = Arrays.copyOfRange(texts.bytes(), start, start + texts.length(row));
      KindParts.Part part = new KindParts.Part(group, bytes);
      CountTables counts =
          new CountTables(SETTINGS, SETTINGS.kinds().indexOf(kind), 1, List.of(part));
      for (Hitter hitter : counts.hitters(1)) {
        rows.add(
            parts.longs(HitterSettings.EPOCH)[row] / SECOND
                + " "
                + kind.name()
                + " "
                + hitter.key().bytes()[15]
                + " "
                + hitter.estimate().value()
                + " ±²"
                + counts.known(List.of(hitter.key())).get(hitter.key()).variance());
      }
    }
    return rows;
  }

  private static final String[] COUNTED = {
    "0 source 1 60 ±²0",
    "0 source 2 30 ±²0",
    "0 source 3 10 ±²90",
    "0 source 4 1 ±²0",
    "0 pair 1 60 ±²0",
    "0 pair 2 30 ±²0",
    "0 pair 3 10 ±²90",
    "0 pair 4 1 ±²0",
    "10 source 1 5 ±²0",
    "10 source 2 95 ±²0",
    "10 pair 1 5 ±²0",
    "10 pair 2 95 ±²0"
  };

  /** Rows of the epochs overlap, and one arrives after its epoch was closed. */
  private static <I extends Selectable<I>> AnalyzerTester<I, TableBlock> fed(
      AnalyzerTester<I, TableBlock> tester, Function<FlowBlock, List<I>> input) {
    input.apply(SECOND_EPOCH).forEach(tester::feed);
    input.apply(FIRST).forEach(tester::feed);
    tester.watermark(9 * SECOND).watermark(10 * SECOND - 1);
    input.apply(Flows.block(new Flow(9, 1, 1, 7, 7, 1))).forEach(tester::feed);
    return tester.watermark(20 * SECOND).inAnyOrder().expectCounted("lateRows", 2);
  }

  @Test
  void countsByKeyInAllWaysOfRunning() throws Exception {
    fed(
            AnalyzerTester.of(() -> new HitterCounts(SETTINGS), HitterStepsTest::counted),
            HitterStepsTest::keys)
        .keyedBy(SETTINGS.byKey())
        .expect(COUNTED);
  }

  @Test
  void countsAnyFlowsInAllWaysOfRunning() throws Exception {
    fed(
            AnalyzerTester.of(() -> new SplitHitterCounts(SETTINGS), HitterStepsTest::counted),
            List::of)
        .expectIn(
            HitterKeys.DETAILS,
            parts -> HitterKeysTest.details(SETTINGS, parts),
            Arrays.stream(COUNTED)
                .map(row -> row.replaceFirst(" ([0-9]+) ±².*", " 1 $1"))
                .toArray(String[]::new))
        .expect(COUNTED);
  }

  /** A table that arrives after its epoch was merged is forwarded alone. */
  @Test
  void mergesTheTablesOfAnEpochInAllWaysOfRunning() throws Exception {
    AnalyzerTester<TableBlock, TableBlock> tester =
        AnalyzerTester.of(() -> new HitterLayer(SETTINGS), HitterStepsTest::counted);
    for (FlowBlock flows : List.of(SECOND_EPOCH, FIRST, FIRST)) {
      Steps.counted(SETTINGS, flows).forEach(tester::feed);
    }
    tester.watermark(10 * SECOND - 1);
    FlowBlock late = Flows.block(new Flow(9, 1, 1, 7, 7, 1));
    Steps.counted(SETTINGS, late).forEach(tester::feed);
    tester
        .watermark(20 * SECOND)
        .inAnyOrder()
        .expect(
            "0 source 1 120 ±²0",
            "0 source 2 60 ±²0",
            "0 source 3 20 ±²180",
            "0 source 4 2 ±²0",
            "0 pair 1 120 ±²0",
            "0 pair 2 60 ±²0",
            "0 pair 3 20 ±²180",
            "0 pair 4 2 ±²0",
            "0 source 1 7 ±²0",
            "0 pair 1 7 ±²0",
            "10 source 1 5 ±²0",
            "10 source 2 95 ±²0",
            "10 pair 1 5 ±²0",
            "10 pair 2 95 ±²0");
  }

  /** Flows of other subtasks may close the epoch while this one is idle. */
  @Test
  void countsEmittedWhenIdleAddUp() throws Exception {
    List<FlowBlock> flows = List.of(FIRST, SECOND_EPOCH, FIRST);
    SplitHitterCounts counting = new SplitHitterCounts(SETTINGS);
    counting.open(AnalyzerContext.alone());
    List<TableBlock> parts = new ArrayList<>();
    Emitter<TableBlock> emitter = Steps.emitter(parts, parts);
    for (FlowBlock block : flows) {
      counting.process(block, emitter);
      int given = parts.size();
      counting.idle(emitter);
      assertThat(parts).as("at once").hasSizeGreaterThan(given);
    }
    int given = parts.size();
    counting.watermark(Long.MAX_VALUE, emitter);
    assertThat(parts).as("nothing is given twice").hasSize(given);
    String[] columns = {"epoch", "kind", "key", "rank", "estimate", "previous", "sources"};
    assertThat(Steps.rows(Steps.analyzed(new HitterJudge(SETTINGS), parts), columns))
        .containsExactlyElementsOf(Steps.rows(Steps.run(SETTINGS, flows, 1, true), columns));
  }

  /** Otherwise they would be late if another subtask's watermark reaches the judge first. */
  @Test
  void countsByKeyAreEmittedWhenIdleToo() throws Exception {
    HitterCounts counting = new HitterCounts(SETTINGS);
    counting.open(AnalyzerContext.alone());
    List<TableBlock> rows = new ArrayList<>();
    List<TableBlock> parts = new ArrayList<>();
    Emitter<TableBlock> emitter = Steps.emitter(parts, parts);
    for (FlowBlock block : List.of(FIRST, SECOND_EPOCH, FIRST)) {
      for (TableBlock keys : keys(block)) {
        rows.add(keys);
        int given = parts.size();
        counting.process(keys, emitter);
        counting.idle(emitter);
        assertThat(parts).as("at once").hasSizeGreaterThan(given);
      }
    }
    int given = parts.size();
    counting.watermark(Long.MAX_VALUE, emitter);
    assertThat(parts).as("nothing is given twice").hasSize(given);
    List<TableBlock> whole = Steps.analyzed(new HitterCounts(SETTINGS), rows);
    String[] columns = {"epoch", "kind", "key", "rank", "estimate", "previous"};
    assertThat(Steps.rows(Steps.analyzed(new HitterJudge(SETTINGS), parts), columns))
        .isNotEmpty()
        .containsExactlyElementsOf(
            Steps.rows(Steps.analyzed(new HitterJudge(SETTINGS), whole), columns));
  }

  @Test
  void judgesEachEpochOnceInAllWaysOfRunning() throws Exception {
    List<TableBlock> rows = new ArrayList<>(keys(FIRST));
    rows.addAll(keys(SECOND_EPOCH));
    AnalyzerTester<TableBlock, TableBlock> tester =
        AnalyzerTester.of(
                () -> new HitterJudge(SETTINGS),
                (TableBlock block) ->
                    Steps.rows(
                        List.of(block),
                        "epoch",
                        "kind",
                        "key",
                        "rank",
                        "change_rank",
                        "estimate",
                        "previous"))
            .keyedBy(SETTINGS.byKind());
    for (TableBlock part : Steps.analyzed(new HitterCounts(SETTINGS), rows)) {
      tester.feed(part);
    }
    tester
        .watermark(10 * SECOND)
        .watermark(20 * SECOND)
        .watermark(30 * SECOND)
        .watermark(40 * SECOND)
        .expect(
            "0 source 10.0.0.1 1 null 60 null",
            "0 source 10.0.0.2 2 null 30 null",
            "0 pair 10.0.0.1 10.0.1.1 1 null 60 null",
            "0 pair 10.0.0.2 10.0.1.1 2 null 30 null",
            "10000000 source 10.0.0.2 1 1 95 30",
            "10000000 source 10.0.0.1 null 2 5 60",
            "10000000 pair 10.0.0.2 10.0.1.2 1 1 95 0",
            "10000000 pair 10.0.0.1 10.0.1.1 null 2 5 60",
            "10000000 pair 10.0.0.2 10.0.1.1 null 3 0 30",
            "20000000 source 10.0.0.2 null 1 0 95",
            "20000000 pair 10.0.0.2 10.0.1.2 null 1 0 95");
  }

  /** A replay may read all input before the watermark advances. */
  @Test
  void anEpochWithoutFlowsIsJudgedAlsoAtTheEndOfTime() throws Exception {
    FlowBlock flows = Flows.block(new Flow(1, 1, 1, 60, 600, 1), new Flow(31, 2, 1, 5, 50, 1));
    assertThat(
            Steps.rows(
                Steps.run(SETTINGS, List.of(flows), 1, false),
                "epoch",
                "kind",
                "key",
                "estimate",
                "previous"))
        .containsExactlyInAnyOrder(
            "0 source 10.0.0.1 60 null",
            "0 pair 10.0.0.1 10.0.1.1 60 null",
            "10000000 source 10.0.0.1 0 60",
            "10000000 pair 10.0.0.1 10.0.1.1 0 60",
            "30000000 source 10.0.0.2 5 null",
            "30000000 pair 10.0.0.2 10.0.1.1 5 null");
  }

  @Test
  void boundsSayWhatSamplingAdds() throws Exception {
    HitterSettings bytes =
        Flows.settings(HitterSettings.Measure.BYTES, "top 1", HitterSettings.MIN_MEMORY, "source");
    FlowBlock flows = Flows.block(new Flow(1, 1, 1, 4, 4_096, 1_000));
    // v = 4,096,000; v (v - v/n) / 4 = 4.19e12 bytes², 3,996,001 units of 1 KiB²
    assertThat(
            Steps.rows(
                Steps.run(bytes, List.of(flows), 1, false),
                "estimate",
                "sampling_error",
                "lower",
                "upper",
                "share",
                "measure"))
        .containsExactly("4096000 4012073 83927 8108073 1.0 bytes");
  }

  @Test
  void keysHaveTheirColumns() throws Exception {
    FlowBlock flows = Flows.block(new Flow(1, 300, 2, 1, 10, 1), new Flow(1, 301, 2, 1, 10, 1));
    long[] v6 = new long[2];
    Addresses.parse("2001:db8:1:2::3", v6);
    flows.addressHigh(FlowColumn.SRC_ADDR)[1] = v6[0];
    flows.addressLow(FlowColumn.SRC_ADDR)[1] = v6[1];
    flows.ints(FlowColumn.DST_PORT)[0] = 443;
    HitterSettings settings =
        Flows.settings(
            HitterSettings.Measure.PACKETS,
            "1",
            HitterSettings.MIN_MEMORY,
            "5-tuple",
            "src_addr/24",
            "src_as+in_if");
    assertThat(
            Steps.rows(
                Steps.run(settings, List.of(flows), 1, false),
                "kind",
                "key",
                "src_addr",
                "dst_addr",
                "dst_port",
                "proto",
                "src_as",
                "in_if"))
        .containsExactlyInAnyOrder(
            "5-tuple 10.0.1.44 10.0.1.2 6 0 443 10.0.1.44 10.0.1.2 443 6 null null",
            "5-tuple 2001:db8:1:2::3 10.0.1.2 6 0 0 2001:db8:1:2::3 10.0.1.2 0 6 null null",
            "src_addr/24 10.0.1.0/24 10.0.1.0 null null null null null",
            "src_addr/24 2001:db8:1::/48 2001:db8:1:: null null null null null",
            "src_as+in_if - 0 null null null null null 0");
  }

  /** 10.0.0.0/24 has three heavy addresses, and ten others that are heavy together. */
  @Test
  void prefixesReportTheWeightNotInLongerOnes() throws Exception {
    List<Flow> flows = new ArrayList<>();
    for (int source = 1; source <= 3; source++) {
      flows.add(new Flow(1, source, 1, 20, 20, 1));
    }
    for (int source = 11; source <= 20; source++) {
      flows.add(new Flow(1, source, 1, 2, 2, 1));
    }
    flows.add(new Flow(1, 256 + 1, 1, 15, 15, 1)); // 10.0.1.1, the only address of its network
    flows.add(new Flow(1, 0, 1, 5, 5, 1));
    FlowBlock block = Flows.block(flows);
    long[] v6 = new long[2];
    Addresses.parse("2001:db8:1:2::3", v6);
    block.addressHigh(FlowColumn.SRC_ADDR)[flows.size() - 1] = v6[0];
    block.addressLow(FlowColumn.SRC_ADDR)[flows.size() - 1] = v6[1];
    HitterSettings settings =
        Flows.settings(
            HitterSettings.Measure.PACKETS,
            "5%",
            HitterSettings.MIN_MEMORY,
            "src_addr/8",
            "source-prefix",
            "destination",
            "source");
    assertThat(
            Steps.rows(
                Steps.run(settings, List.of(block), 2, false), "kind", "key", "estimate", "own"))
        .containsExactlyInAnyOrder(
            "source 10.0.0.1 20 20",
            "source 10.0.0.2 20 20",
            "source 10.0.0.3 20 20",
            "source 10.0.1.1 15 15",
            "source 2001:db8:1:2::3 5 5",
            "source-prefix 10.0.0.0/24 80 20",
            "source-prefix 10.0.1.0/24 15 null",
            "source-prefix 2001:db8:1::/48 5 null",
            "src_addr/8 10.0.0.0/8 95 null",
            "src_addr/8 2001::/16 5 null",
            "destination 10.0.1.1 100 null");
  }

  @Test
  void impossibleWeightsAreRejected() throws Exception {
    HitterSettings bytes =
        Flows.settings(HitterSettings.Measure.BYTES, "1", HitterSettings.MIN_MEMORY, "source");
    List<Flow> flows = new ArrayList<>();
    flows.add(new Flow(1, 2, 1, 1, Long.MAX_VALUE, -2));
    for (int i = 0; i < 1_000; i++) {
      flows.add(new Flow(1, 1, 1, 1 << 20, 1L << 53, 1));
    }
    List<String> rows =
        Steps.rows(
            Steps.run(bytes, List.of(Flows.block(flows)), 2, true), "key", "estimate", "total");
    assertThat(rows).isEmpty(); // whole batches are rejected, since their sums would be too large
  }

  @Test
  void invalidKindsAndThresholdsAreRejected() {
    assertThatThrownBy(() -> HitterKind.parse("Source")).hasMessageContaining("5-tuple");
    assertThatThrownBy(() -> HitterKind.parse("in_if/8")).hasMessageContaining("an address");
    assertThatThrownBy(() -> HitterKind.parse("src_addr/33")).hasMessageContaining("1 to 32");
    assertThatThrownBy(() -> HitterKind.parse("src_addr+dst_addr+exporter+next_hop+proto"))
        .hasMessageContaining("68 bytes");
    assertThatThrownBy(() -> Threshold.parse("0%")).hasMessageContaining("top 20");
    assertThatThrownBy(() -> Threshold.parse("top 0")).hasMessageContaining("top 20");
    assertThat(Threshold.parse("0.5%").of(1_000)).isEqualTo(5);
    assertThat(Threshold.parse("0.5%").of(0)).isEqualTo(1);
  }
}
