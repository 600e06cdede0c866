package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.Flows.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.hitters.Flows.Flow;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockFormatException;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** State of heavy hitters is written in the same format, and restored. */
class HitterStateGoldenTest {
  private static final String FILE = "hitters-version-1.bin";
  private static final HitterSettings SETTINGS =
      Flows.settings(
          HitterSettings.Measure.BYTES,
          "1",
          HitterSettings.MIN_MEMORY,
          "source",
          "5-tuple",
          "protocol",
          "source-networks");

  private static final String[] COUNTS = {
    "kind", "epoch", "key", "rank", "estimate", "lower", "previous", "total", "algorithm"
  };

  /** Flows in two epochs, a third of them IPv6. */
  private static List<FlowBlock> flows() {
    List<Flow> flows = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      flows.add(new Flow(i % 20, i % 17, i % 5, 1 + i % 3, 100 + i, 1 + i % 2 * 9));
    }
    FlowBlock block = Flows.block(flows);
    for (int row = 0; row < block.rows(); row++) {
      block.ints(FlowColumn.DST_PORT)[row] = row % 4 == 0 ? FlowBlock.NULL : 440 + row % 4;
      if (row % 3 == 0) {
        block.addressHigh(FlowColumn.SRC_ADDR)[row] = 0x2001_0DB8_0000_0000L;
      }
    }
    return List.of(block);
  }

  private static Emitter<TableBlock> into(List<TableBlock> parts) {
    return Steps.emitter(parts, parts);
  }

  private static SplitHitterCounts split() throws Exception {
    SplitHitterCounts counts = new SplitHitterCounts(SETTINGS);
    counts.open(AnalyzerContext.alone());
    return counts;
  }

  private static HitterCounts keyed() throws Exception {
    HitterCounts counts = new HitterCounts(SETTINGS);
    counts.open(AnalyzerContext.alone());
    return counts;
  }

  private static HitterJudge judge() throws Exception {
    HitterJudge judge = new HitterJudge(SETTINGS);
    judge.open(AnalyzerContext.alone());
    return judge;
  }

  /** State of a step: entries, each after its key. */
  private static void put(int piece, byte[] state, BlockBuffer out) {
    out.putByte(1);
    out.putInt(piece);
    out.putInt(state.length);
    out.put(state, 0, state.length);
  }

  private static void put(StateSnapshot snapshot, BlockBuffer out) throws IOException {
    for (int group = 0; group < HitterSettings.GROUPS; group++) {
      if (!snapshot.isEmpty(group)) {
        BlockBuffer state = new BlockBuffer(256);
        snapshot.write(group, state);
        put(group, state.toBytes(), out);
      }
    }
    out.putByte(0);
  }

  /** State of all steps while both epochs are open, and of the judge between them. */
  private static byte[] written() throws Exception {
    BlockBuffer out = new BlockBuffer(1 << 10);
    SplitHitterCounts split = split();
    List<TableBlock> parts = new ArrayList<>();
    for (FlowBlock block : flows()) {
      split.process(block, into(parts));
    }
    split.snapshot((piece, version, state) -> put(piece, state, out));
    out.putByte(0);

    HitterKeys keys = new HitterKeys(SETTINGS);
    keys.open(AnalyzerContext.alone());
    HitterCounts keyed = keyed();
    for (FlowBlock block : flows()) {
      List<TableBlock> rows = new ArrayList<>();
      keys.process(block, rows::add);
      for (TableBlock each : rows) {
        keyed.process(each, parts::add);
      }
    }
    put(keyed.snapshot(), out);

    split.watermark(Long.MAX_VALUE, into(parts));
    HitterJudge judge = judge();
    for (TableBlock part : parts) {
      judge.process(part, new ArrayList<TableBlock>()::add);
    }
    judge.watermark(12 * SECOND, new ArrayList<TableBlock>()::add);
    put(judge.snapshot(), out);
    return out.toBytes();
  }

  /** Writes the file of the current version. */
  public static void main(String[] args) throws Exception {
    Files.write(Path.of(args[0]), written());
  }

  private static byte[] golden() throws IOException {
    try (InputStream file = HitterStateGoldenTest.class.getResourceAsStream(FILE)) {
      return file.readAllBytes();
    }
  }

  private interface PieceReader {
    void restore(int piece, byte[] state) throws Exception;
  }

  private static void read(BlockInput in, PieceReader to) throws Exception {
    while (in.takeByte() != 0) {
      int piece = in.takeInt();
      byte[] state = new byte[in.takeInt()];
      System.arraycopy(in.bytes(), in.take(state.length), state, 0, state.length);
      to.restore(piece, state);
    }
  }

  private static List<String> rows(List<TableBlock> parts) throws Exception {
    return Steps.rows(Steps.analyzed(new HitterJudge(SETTINGS), parts), COUNTS);
  }

  @Test
  void goesOn() throws Exception {
    List<String> expected = Steps.rows(Steps.run(SETTINGS, flows(), 1, true), COUNTS);
    assertThat(expected).hasSizeGreaterThan(100);
    byte[] state = golden();
    BlockInput in = new BlockInput(state, 0, state.length);

    List<TableBlock> parts = new ArrayList<>();
    SplitHitterCounts split = split();
    read(in, (piece, bytes) -> split.restore(piece, 0, bytes));
    split.watermark(Long.MAX_VALUE, into(parts));
    assertThat(rows(parts)).containsExactlyInAnyOrderElementsOf(expected);

    parts.clear();
    HitterCounts keyed = keyed();
    read(in, (group, bytes) -> keyed.restore(group, new BlockInput(bytes, 0, bytes.length)));
    keyed.watermark(Long.MAX_VALUE, parts::add);
    assertThat(rows(parts)).containsExactlyInAnyOrderElementsOf(expected);

    HitterJudge judge = judge();
    read(in, (group, bytes) -> judge.restore(group, new BlockInput(bytes, 0, bytes.length)));
    List<TableBlock> results = new ArrayList<>();
    judge.watermark(Long.MAX_VALUE, results::add);
    assertThat(Steps.rows(results, COUNTS))
        .containsExactlyInAnyOrderElementsOf(
            expected.stream().filter(row -> row.contains(" 10000000 ")).toList())
        .isNotEmpty();
  }

  @Test
  void thePresentVersionIsWrittenAsItWas() throws Exception {
    assertThat(written()).isEqualTo(golden());
  }

  @Test
  void aNewerVersionIsRejected() throws Exception {
    byte[] newer = {2, 0};
    assertThatThrownBy(() -> keyed().restore(0, new BlockInput(newer, 0, newer.length)))
        .isInstanceOf(BlockFormatException.class)
        .hasMessageContaining("counts of hitters of version 2, this release reads 1");
    assertThatThrownBy(() -> judge().restore(0, new BlockInput(newer, 0, newer.length)))
        .isInstanceOf(BlockFormatException.class);
  }
}
