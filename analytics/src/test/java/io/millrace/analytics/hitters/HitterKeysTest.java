package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.Flows.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.hitters.Flows.Flow;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.analytics.testing.WatchedContext;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HitterKeysTest {
  /** Keys per epoch of a test. */
  private static final int KEYS = 4_000;

  private static final HitterSettings SETTINGS =
      Flows.settings(
          HitterSettings.Measure.BYTES, "1", HitterSettings.MIN_MEMORY, "source", "destination");

  /** Epoch, kind, last byte of the address, weight and variance. */
  private static List<String> rows(TableBlock block) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      rows.add(
          block.longs(HitterSettings.EPOCH)[row] / SECOND
              + " "
              + block.longs(HitterSettings.KIND)[row]
              + " "
              + (block.longs(HitterSettings.WORDS + 1)[row] & 255)
              + " "
              + block.longs(HitterSettings.WEIGHT)[row]
              + " ±²"
              + block.longs(HitterSettings.VARIANCE)[row]);
    }
    return rows;
  }

  /** Epoch, kind, last byte of the address, sources and weight of each candidate of a part. */
  static List<String> details(HitterSettings settings, TableBlock parts) {
    List<String> rows = new ArrayList<>();
    Texts texts = parts.texts(HitterSettings.COUNTS);
    for (int row = 0; row < parts.rows(); row++) {
      HitterKind kind = settings.kinds().get((int) parts.longs(HitterSettings.KIND)[row]);
      Map<Key, CandidateDetails> found = new HashMap<>();
      Candidates.merge(
          new BlockInput(texts.bytes(), texts.start(row), texts.length(row)), kind, found);
      long epoch = parts.longs(HitterSettings.EPOCH)[row] / SECOND;
      found.forEach(
          (key, each) ->
              rows.add(
                  epoch
                      + " "
                      + kind.name()
                      + " "
                      + (key.word(1) & 255)
                      + " "
                      + each.sources()
                      + " "
                      + each.weight()));
    }
    return rows;
  }

  @Test
  void givesTheSameKeysAndDetailsInAllWaysOfRunning() throws Exception {
    AnalyzerTester.of(() -> new HitterKeys(SETTINGS), HitterKeysTest::rows)
        .feed(Flows.block(new Flow(1, 1, 5, 2, 300, 1), new Flow(12, 2, 6, 1, 100, 1)))
        .feed(Flows.block(new Flow(2, 1, 5, 4, 500, 1), new Flow(3, 3, 7, 1, 40, 1)))
        .watermark(10 * SECOND)
        .feed(Flows.block(new Flow(4, 4, 8, 1, 60, 1))) // late: counted downstream, without details
        .expectIn(
            HitterKeys.DETAILS,
            parts -> details(SETTINGS, parts),
            "0 source 1 1 800",
            "0 source 3 1 40",
            "0 destination 5 1 800",
            "0 destination 7 1 40",
            "10 source 2 1 100",
            "10 destination 6 1 100")
        .expect(
            "0 0 1 300 ±²0",
            "0 0 1 500 ±²0",
            "0 0 3 40 ±²0",
            "0 0 4 60 ±²0",
            "10 0 2 100 ±²0",
            "0 1 5 300 ±²0",
            "0 1 5 500 ±²0",
            "0 1 7 40 ±²0",
            "0 1 8 60 ±²0",
            "10 1 6 100 ±²0");
  }

  @Test
  void flowsOfABlockWithTheSameKeyAreOneRow() throws Exception {
    HitterKeys keys = new HitterKeys(SETTINGS);
    keys.open(AnalyzerContext.alone());
    List<TableBlock> out = new ArrayList<>();
    keys.process(
        Flows.block(
            new Flow(1, 1, 5, 1, 1_000_000, 2),
            new Flow(2, 1, 6, 1, 1_000_000, 2),
            new Flow(11, 1, 5, 1, 7, 1),
            new Flow(3, 1, 5, 1, 3, 1)),
        out::add);
    // One flow: 2e6 (2e6 - 1e6) = 2e12 bytes², 1,907,349 units of 2²⁰ when rounded up.
    assertThat(out.stream().flatMap(block -> rows(block).stream()))
        .containsExactly(
            "0 0 1 4000003 ±²3814698",
            "10 0 1 7 ±²0",
            "0 1 5 2000003 ±²1907349",
            "0 1 6 2000000 ±²1907349",
            "10 1 5 7 ±²0");
  }

  @Test
  void keysAreWrittenWhereverTheirPartsBegin() {
    FlowBlock flows = Flows.block(new Flow(1, 300, 2, 1, 10, 1));
    flows.ints(FlowColumn.DST_PORT)[0] = 443;
    flows.ints(FlowColumn.IN_IF)[0] = 7;
    for (String text :
        List.of("proto+src_addr+dst_port", "src_addr+dst_port", "in_if+dst_addr/16")) {
      HitterKind kind = HitterKind.parse(text);
      long[][] words = new long[kind.words()][1];
      kind.write(flows, KeyExpressions.NONE, words);
      long[] key = new long[words.length];
      for (int word = 0; word < key.length; word++) {
        key[word] = words[word][0];
      }
      assertThat(kind.text(Key.ofWords(kind.bytes(), key), ColumnTexts.NONE))
          .isEqualTo(
              switch (text) {
                case "proto+src_addr+dst_port" -> "6 10.0.1.44 443";
                case "src_addr+dst_port" -> "10.0.1.44 443";
                default -> "7 10.0.0.0/16";
              });
    }
  }

  @Test
  void keysAreDividedOutsideOfParenthesesAndQuotes() {
    assertThat(HitterKind.parse("src_addr+(dst_dns LIKE 'a)+(b' OR proto IN (6, 17))").parts())
        .extracting(HitterKind.Part::column)
        .containsExactly("src_addr", "(dst_dns LIKE 'a)+(b' OR proto IN (6, 17))");
    assertThat(HitterKind.split("source,(proto IN (6, 17)),pair", ','))
        .containsExactly("source", "(proto IN (6, 17))", "pair");
    assertThatThrownBy(() -> HitterKind.parse("src_addr+")).hasMessageContaining("5-tuple");
  }

  /** Conditions are true, false or unknown; other expressions are numbers. */
  @Test
  void expressionsAreParts() throws Exception {
    KeyExpressions expressions =
        text ->
            text.startsWith("(")
                ? (flows, values) -> {
                  for (int row = 0; row < flows.rows(); row++) {
                    values[row] = row == 2 ? FlowBlock.NULL : row;
                  }
                }
                : text.equals("bpp") ? (flows, values) -> values[0] = 1_500 : null;
    HitterSettings settings =
        Flows.settings(
            HitterSettings.Measure.PACKETS,
            "1",
            HitterSettings.MIN_MEMORY,
            "proto+(is odd)",
            "bpp+proto");
    HitterKeys keys = new HitterKeys(settings, expressions);
    keys.open(AnalyzerContext.alone());
    List<TableBlock> made = new ArrayList<>();
    keys.process(
        Flows.block(
            new Flow(1, 1, 1, 1, 1, 1), new Flow(1, 1, 1, 2, 1, 1), new Flow(1, 1, 1, 4, 1, 1)),
        made::add);
    List<TableBlock> parts = Steps.analyzed(new HitterCounts(settings), made);
    assertThat(
            Steps.rows(Steps.analyzed(new HitterJudge(settings), parts), "kind", "key", "estimate"))
        .containsExactlyInAnyOrder(
            "proto+(is odd) 6 false 1",
            "proto+(is odd) 6 true 2",
            "proto+(is odd) 6 - 4",
            "bpp+proto 1500 6 1",
            "bpp+proto 0 6 6");
  }

  /** A wrong clock displaces no current traffic, and takes no memory beyond its share. */
  @Test
  void epochsFarthestAheadAreDroppedIfMemoryIsShort() throws Exception {
    HitterSettings settings =
        Flows.settings(HitterSettings.Measure.PACKETS, "1", HitterSettings.MIN_MEMORY, "source");
    WatchedContext figures = new WatchedContext();
    HitterCounts counts = new HitterCounts(settings);
    counts.open(figures);
    HitterKeys keys = new HitterKeys(settings);
    keys.open(AnalyzerContext.alone());
    int sent = 0;
    for (int epoch = 1_000; epoch > 0; epoch--) { // the current epoch comes last
      List<Flow> flows = new ArrayList<>();
      for (int source = 0; source < KEYS; source++) {
        flows.add(new Flow(10 * epoch, source, 1, 1, 1, 1));
      }
      sent += flows.size();
      keys.process(Flows.block(flows), block -> counts.process(block, none -> {}));
      assertThat(figures.gauges().get("memoryBytes").getAsLong())
          .isLessThanOrEqualTo(8 * HitterSettings.MIN_MEMORY);
    }
    List<TableBlock> parts = new ArrayList<>();
    counts.watermark(20 * SECOND - 1, parts::add);
    assertThat(Steps.rows(Steps.analyzed(new HitterJudge(settings), List.of(merged(parts))), "key"))
        .hasSize(KEYS);
    counts.watermark(Long.MAX_VALUE, parts::add);
    long epochs =
        parts.stream().mapToLong(part -> part.longs(HitterSettings.EPOCH)[0]).distinct().count();
    assertThat(epochs).isBetween(8L, 900L);
    assertThat(figures.counters().get("aheadRows")).isEqualTo(sent - KEYS * epochs);
    assertThat(figures.gauges().get("memoryBytes").getAsLong()).isZero();
  }

  private static TableBlock merged(List<TableBlock> blocks) {
    TableBlock all = new TableBlock(HitterSettings.PARTS, 1);
    for (TableBlock block : blocks) {
      for (int row = 0; row < block.rows(); row++) {
        all.add(block, row);
      }
    }
    return all;
  }
}
