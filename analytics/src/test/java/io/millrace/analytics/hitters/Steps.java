package io.millrace.analytics.hitters;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.Output;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Runs consecutive steps in one thread, with several counting analyzers. */
final class Steps {
  private Steps() {}

  /**
   * The rows of results.
   *
   * @param counters number of counting analyzers
   * @param isSplit whether rows are distributed arbitrarily instead of by key
   */
  static List<TableBlock> run(
      HitterSettings settings, List<FlowBlock> flows, int counters, boolean isSplit)
      throws Exception {
    return run(settings, flows, counters, isSplit, ColumnTexts.NONE);
  }

  /**
   * Rows of results with rows distributed arbitrarily and counts merged in layers, the last of
   * which is the judge.
   */
  static List<TableBlock> inLayers(
      HitterSettings settings, List<FlowBlock> flows, int counters, int layers) throws Exception {
    List<TableBlock> details = new ArrayList<>();
    List<List<TableBlock>> counts = new ArrayList<>();
    for (int i = 0; i < counters; i++) {
      counts.add(counted(settings, flows, i, counters, details));
    }
    for (int layer = 1; layer < layers; layer++) {
      List<List<TableBlock>> merged = new ArrayList<>();
      for (int i = 0; i < counts.size(); i += 2) {
        List<TableBlock> pair = new ArrayList<>(counts.get(i));
        pair.addAll(i + 1 < counts.size() ? counts.get(i + 1) : List.of());
        merged.add(analyzed(new HitterLayer(settings), pair));
      }
      counts = merged;
    }
    List<TableBlock> parts = new ArrayList<>(details);
    counts.forEach(parts::addAll);
    return analyzed(new HitterJudge(settings), parts);
  }

  /** Counts that one analyzer emits for flows. */
  static List<TableBlock> counted(HitterSettings settings, FlowBlock flows) throws Exception {
    return counted(settings, List.of(flows), 0, 1, new ArrayList<>());
  }

  /** Counts of one of several analyzers; adds its details to the list. */
  private static List<TableBlock> counted(
      HitterSettings settings,
      List<FlowBlock> flows,
      int index,
      int counters,
      List<TableBlock> details)
      throws Exception {
    List<TableBlock> counts = new ArrayList<>();
    SplitHitterCounts counting = new SplitHitterCounts(settings);
    counting.open(AnalyzerContext.alone());
    Emitter<TableBlock> emitter = emitter(counts, details);
    for (int b = index; b < flows.size(); b += counters) {
      counting.process(flows.get(b), emitter);
    }
    counting.watermark(Long.MAX_VALUE, emitter);
    return counts;
  }

  /** Rows of results for columns with texts. */
  static List<TableBlock> run(
      HitterSettings settings,
      List<FlowBlock> flows,
      int counters,
      boolean isSplit,
      ColumnTexts texts)
      throws Exception {
    List<TableBlock> parts = new ArrayList<>();
    if (isSplit) {
      for (int i = 0; i < counters; i++) {
        parts.addAll(counted(settings, flows, i, counters, parts));
      }
      return analyzed(new HitterJudge(settings, texts), parts);
    }
    List<TableBlock> keys = new ArrayList<>();
    HitterKeys making = new HitterKeys(settings);
    making.open(AnalyzerContext.alone());
    Emitter<TableBlock> emitter = emitter(keys, parts);
    for (FlowBlock block : flows) {
      making.process(block, emitter);
    }
    making.watermark(Long.MAX_VALUE, emitter);
    for (int i = 0; i < counters; i++) {
      List<TableBlock> own = new ArrayList<>();
      for (TableBlock block : keys) {
        own.add(of(KeyGroups.of(HitterSettings.GROUPS, i, counters), settings.byKey(), block));
      }
      parts.addAll(analyzed(new HitterCounts(settings), own));
    }
    return analyzed(new HitterJudge(settings, texts), parts);
  }

  /** Emitter that collects keys, and details of candidates in a separate list. */
  static Emitter<TableBlock> emitter(List<TableBlock> keys, List<TableBlock> details) {
    return new Emitter<>() {
      @Override
      public void emit(TableBlock block) {
        keys.add(block);
      }

      @Override
      public <B extends Block> void emit(Output<B> output, B block) {
        details.add((TableBlock) block);
      }
    };
  }

  /** Output of an analyzer that received all input before the watermark advanced. */
  static <I extends Block> List<TableBlock> analyzed(
      Analyzer<I, TableBlock> analyzer, List<I> input) throws Exception {
    List<TableBlock> output = new ArrayList<>();
    analyzer.open(AnalyzerContext.alone());
    for (I block : input) {
      analyzer.process(block, output::add);
    }
    analyzer.watermark(Long.MAX_VALUE, output::add);
    return output;
  }

  private static TableBlock of(KeyGroups groups, RowKeys<TableBlock> keys, TableBlock block) {
    int[] hashes = new int[block.rows()];
    keys.hashes(block, hashes);
    int[] rows =
        IntStream.range(0, block.rows()).filter(row -> groups.holds(hashes[row])).toArray();
    return block.select(rows, rows.length);
  }

  /** Some columns of all rows, separated by blanks. */
  static List<String> rows(List<TableBlock> blocks, String... columns) {
    List<String> rows = new ArrayList<>();
    for (TableBlock block : blocks) {
      for (int row = 0; row < block.rows(); row++) {
        StringBuilder text = new StringBuilder();
        for (String column : columns) {
          text.append(text.length() == 0 ? "" : " ")
              .append(block.text(row, block.schema().indexOf(column)));
        }
        rows.add(text.toString());
      }
    }
    return rows;
  }
}
