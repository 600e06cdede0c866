package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.Flows.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.hitters.Flows.Flow;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.testing.WatchedContext;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CandidateDetailsTest {
  private static final String[] COLUMNS = {
    "key",
    "estimate",
    "sources",
    "top_ports",
    "protocols",
    "tcp_flags",
    "countries",
    "first_seen",
    "last_seen",
    "details_from"
  };
  private static final long SEED = 18;
  private static final int SYN = 2;
  private static final int ACK = 16;

  private static final HitterSettings BY_DESTINATION =
      Flows.settings(HitterSettings.Measure.PACKETS, "1", HitterSettings.MIN_MEMORY, "destination");

  /** Sources 1 to 8 send to two destinations, with different ports and flags. */
  private static FlowBlock flows() {
    List<Flow> flows = new ArrayList<>();
    for (int source = 1; source <= 8; source++) {
      flows.add(new Flow(source, source, source <= 6 ? 1 : 2, 10, 100, 1));
    }
    FlowBlock block = Flows.block(flows);
    int[] countries = new int[block.rows()];
    for (int row = 0; row < block.rows(); row++) {
      block.ints(FlowColumn.DST_PORT)[row] = row < 4 ? 443 : 53;
      block.ints(FlowColumn.PROTO)[row] = row < 4 ? 6 : 17;
      block.ints(FlowColumn.TCP_FLAGS)[row] = row < 3 ? SYN : row < 4 ? ACK : FlowBlock.NULL;
      countries[row] = row == 7 ? FlowBlock.NULL : row % 2;
    }
    block.joined().add(new JoinedColumn("src_country", JoinedColumn.Kind.TEXT, 100, countries));
    return block;
  }

  private static String country(String column, long id) {
    return column.equals("src_country") ? (id == 100 ? "DE" : "FR") : null;
  }

  @Test
  void aResultHasTheProfileOfItsTraffic() throws Exception {
    assertThat(
            Steps.rows(
                Steps.run(
                    BY_DESTINATION, List.of(flows()), 2, false, CandidateDetailsTest::country),
                COLUMNS))
        .containsExactly(
            "10.0.1.1 60 6 443/tcp 66% 53/udp 33% tcp 66% udp 33% SYN 75% ACK 25%"
                + " DE 50% FR 50% 1000000 6000000 1000000",
            "10.0.1.2 20 2 53/udp 100% udp 100% null DE 50% 7000000 8000000 7000000");
  }

  @Test
  void partsThatAreRestoredIntoOtherSubtasksAreTheWhole() throws Exception {
    List<TableBlock> whole = new ArrayList<>();
    HitterKeys alone = new HitterKeys(BY_DESTINATION);
    alone.open(AnalyzerContext.alone());
    alone.process(flows(), Steps.emitter(new ArrayList<>(), whole));
    alone.process(flows(), Steps.emitter(new ArrayList<>(), whole));
    alone.watermark(Long.MAX_VALUE, Steps.emitter(new ArrayList<>(), whole));

    Map<Integer, byte[]> pieces = new HashMap<>();
    for (int subtask = 0; subtask < 3; subtask++) {
      HitterKeys before = new HitterKeys(BY_DESTINATION);
      before.open(new WatchedContext(subtask, 3));
      int own = subtask;
      int[] rows = IntStream.range(0, 8).filter(row -> row % 3 == own).toArray();
      before.process(
          flows().select(rows, rows.length), Steps.emitter(new ArrayList<>(), new ArrayList<>()));
      before.snapshot((key, version, state) -> pieces.put(key, state));
    }
    assertThat(pieces).hasSize(3);
    List<TableBlock> parts = new ArrayList<>();
    for (int subtask = 0; subtask < 2; subtask++) {
      HitterKeys after = new HitterKeys(BY_DESTINATION);
      after.open(new WatchedContext(subtask, 2));
      for (Map.Entry<Integer, byte[]> piece : pieces.entrySet()) {
        after.restore(piece.getKey(), 0, piece.getValue());
      }
      if (subtask == 1) {
        after.process(flows(), Steps.emitter(new ArrayList<>(), new ArrayList<>()));
      }
      after.watermark(Long.MAX_VALUE, Steps.emitter(new ArrayList<>(), parts));
    }
    assertThat(told(parts)).isEqualTo(told(whole)).hasSize(2);
  }

  /** Details of each key, merged over parts. */
  private static Map<Key, String> told(List<TableBlock> parts) {
    Map<Key, CandidateDetails> details = new HashMap<>();
    for (TableBlock part : parts) {
      assertThat(part.longs(HitterSettings.GROUP)[0]).isEqualTo(HitterSettings.DETAILS);
      var bytes = part.texts(HitterSettings.COUNTS);
      Candidates.merge(
          new BlockInput(bytes.bytes(), bytes.start(0), bytes.length(0)),
          BY_DESTINATION.kinds().get(0),
          details);
    }
    Map<Key, String> told = new HashMap<>();
    details.forEach(
        (key, each) ->
            told.put(
                key,
                each.sources()
                    + each.ports()
                    + each.protocols()
                    + each.flags()
                    + each.countries(Long::toString)
                    + each.firstSeen()
                    + each.lastSeen()
                    + each.countedFrom()));
    return told;
  }

  /** Each row votes separately. */
  private static void vote(Candidates candidates, FlowBlock flows, long[][] key) {
    DetailColumns columns = new DetailColumns(flows, SEED);
    for (int row = 0; row < flows.rows(); row++) {
      long weight = flows.longs(FlowColumn.PACKETS)[row];
      long[] words = new long[key.length];
      for (int word = 0; word < words.length; word++) {
        words[word] = key[word][row];
      }
      long hash = EqualRows.hash(SEED, 0, words);
      candidates.count(weight);
      CandidateDetails details =
          candidates.vote(hash, key, row, columns.times[row], weight, Candidates.UNKNOWN);
      if (details != null) {
        details.add(columns, row, weight);
      }
    }
  }

  /** A hundred thousand keys with one packet each, and one key with 2% of the packets. */
  @Test
  void ofManyKeysTheHeavyOnesHaveDetails() throws Exception {
    Random random = new Random(18);
    HitterKind kind = HitterKind.parse("source");
    Candidates candidates = new Candidates(kind, SEED, 0);
    int heavy = 0;
    BlockBuffer written = new BlockBuffer(16);
    for (int round = 0; round < 100; round++) {
      List<Flow> flows = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        boolean isHeavy = random.nextInt(50) == 0;
        heavy += isHeavy ? 1 : 0;
        flows.add(new Flow(1, isHeavy ? 1 : 100 + 1_000 * round + i, i % 7, 1, 1, 1));
      }
      FlowBlock block = Flows.block(flows);
      long[][] key = new long[kind.words()][flows.size()];
      kind.write(block, KeyExpressions.NONE, key);
      vote(candidates, block, key);
      written.clear();
      candidates.write(written);
      assertThat(written.length()).isLessThan(2_048 * 1_200);
    }
    Map<Key, CandidateDetails> details = new HashMap<>();
    Candidates.merge(new BlockInput(written.toBytes(), 0, written.length()), kind, details);
    CandidateDetails found =
        details.entrySet().stream()
            .filter(
                each -> HitterRows.text(kind, each.getKey(), ColumnTexts.NONE).equals("10.0.0.1"))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElseThrow();
    assertThat(found.sources()).isEqualTo(1);
    assertThat(found.countedFrom()).isEqualTo(SECOND);
    assertThat(found.weight()).isBetween(heavy * 9L / 10, (long) heavy);
  }

  /** With weights known from a table, the same heavy keys are found as by votes. */
  @Test
  void byKnownWeightsTheSameKeysAreHeavy() throws Exception {
    HitterSettings settings =
        Flows.settings(HitterSettings.Measure.PACKETS, "0.2%", HitterSettings.MIN_MEMORY, "source");
    Random random = new Random(18);
    List<FlowBlock> blocks = new ArrayList<>();
    for (int round = 0; round < 50; round++) {
      List<Flow> flows = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        boolean isHeavy = random.nextInt(2) == 0;
        int source = isHeavy ? random.nextInt(100) : 100 + random.nextInt(1 << 20);
        flows.add(new Flow(1 + round % 8, source, i % 7, 1, 1, 1));
      }
      blocks.add(Flows.block(flows));
    }
    String[] columns = {"key", "estimate", "sources", "protocols", "first_seen", "last_seen"};
    List<String> known = Steps.rows(Steps.run(settings, blocks, 1, true), columns);
    assertThat(known)
        .hasSize(100)
        .containsExactlyElementsOf(Steps.rows(Steps.run(settings, blocks, 1, false), columns));
    assertThat(known).noneMatch(row -> row.contains("null"));
  }

  /** Of some hundred keys, several share a bucket, and none is lost. */
  @Test
  void ofFewKeysEachHasDetails() {
    HitterKind kind = HitterKind.parse("source");
    Candidates candidates = new Candidates(kind, SEED, 0);
    List<Flow> flows = new ArrayList<>();
    for (int source = 0; source < 300; source++) {
      flows.add(new Flow(1, source, 1, 1, 1, 1));
    }
    FlowBlock block = Flows.block(flows);
    long[][] key = new long[kind.words()][flows.size()];
    kind.write(block, KeyExpressions.NONE, key);
    vote(candidates, block, key);
    BlockBuffer written = new BlockBuffer(16);
    candidates.write(written);
    Map<Key, CandidateDetails> details = new HashMap<>();
    Candidates.merge(new BlockInput(written.toBytes(), 0, written.length()), kind, details);
    assertThat(details).hasSize(300);
  }

  /** Each of 100,000 keys is heavy for a moment, and none for long. */
  @Test
  void slowReadersMakeRoom() {
    HitterKind kind = HitterKind.parse("source");
    Candidates candidates = new Candidates(kind, SEED, 0);
    for (int source = 0; source < 100_000; source++) {
      FlowBlock block = Flows.block(new Flow(1, source, 1, 1L << (source / 4_000), 1, 1));
      long[][] key = new long[kind.words()][1];
      kind.write(block, KeyExpressions.NONE, key);
      vote(candidates, block, key);
    }
    BlockBuffer written = new BlockBuffer(16);
    candidates.write(written);
    Map<Key, CandidateDetails> details = new HashMap<>();
    Candidates.merge(new BlockInput(written.toBytes(), 0, written.length()), kind, details);
    assertThat(details.size()).isLessThanOrEqualTo(2_048);
  }
}
