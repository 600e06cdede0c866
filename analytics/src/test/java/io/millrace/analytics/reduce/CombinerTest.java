package io.millrace.analytics.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.analytics.testing.WatchedContext;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CombinerTest {
  private static final TableSchema SCHEMA =
      TableSchema.builder()
          .time("window_end")
          .address("host")
          .number("port")
          .number("flows")
          .number("bytes")
          .build();
  private static final CombinedRows ROWS = new CombinedRows(SCHEMA, 2);

  private static TableBlock rows(long... endHostPortFlowsBytes) {
    int rows = endHostPortFlowsBytes.length / 5;
    TableBlock block = new TableBlock(SCHEMA, rows);
    for (int row = 0; row < rows; row++) {
      block.longs(0)[row] = endHostPortFlowsBytes[5 * row];
      block.addressHigh(1)[row] = 0x20010db8_00000000L;
      block.addressLow(1)[row] = endHostPortFlowsBytes[5 * row + 1];
      for (int column = 2; column < 5; column++) {
        block.longs(column)[row] = endHostPortFlowsBytes[5 * row + column];
      }
    }
    block.rows(rows);
    return block;
  }

  @Test
  void addsUpRowsOfOneWindowAndKey() {
    AnalyzerTester.of(() -> Combiner.of(ROWS))
        .feed(rows(60, 1, 80, 1, 100, 60, 2, 80, 1, 200, 120, 1, 80, 5, 5))
        .feed(rows(60, 1, 80, 2, 30, 60, 1, 443, 1, 7))
        .watermark(58)
        .feed(rows(60, 2, 80, 1, 1))
        .watermark(59)
        .feed(rows(120, 1, 80, 1, 1))
        .expect(
            "60 2001:db8::1 80 3 130",
            "60 2001:db8::2 80 2 201",
            "60 2001:db8::1 443 1 7",
            "120 2001:db8::1 80 6 6");
  }

  @Test
  void givesTheGreatestOfEachWindow() {
    AnalyzerTester.of(() -> Combiner.greatest(ROWS, 2, "bytes"))
        .feed(rows(60, 1, 80, 1, 10, 60, 2, 80, 1, 9, 60, 3, 80, 1, 8, 60, 4, 80, 1, 7))
        .feed(rows(60, 4, 80, 1, 7, 120, 9, 80, 1, 1))
        .expect("60 2001:db8::4 80 2 14", "60 2001:db8::1 80 1 10", "120 2001:db8::9 80 1 1");
  }

  /** Downstream layers do not wait for one without input, so its rows are emitted. */
  @Test
  void onlyTheLastKeepsOpenWindowsWhenIdle() throws Exception {
    List<TableBlock> parts = new ArrayList<>();
    Combiner first = Combiner.of(ROWS);
    first.open(AnalyzerContext.alone());
    first.process(rows(60, 1, 80, 1, 10), parts::add);
    first.idle(parts::add);
    assertThat(parts).hasSize(1);
    first.process(rows(60, 1, 80, 1, 5), parts::add);
    first.watermark(60, parts::add);
    assertThat(parts).hasSize(2);

    List<TableBlock> sums = new ArrayList<>();
    Combiner last = Combiner.last(ROWS);
    last.open(AnalyzerContext.alone());
    last.process(parts.get(0), sums::add);
    last.idle(sums::add);
    assertThat(sums).isEmpty();
    last.process(parts.get(1), sums::add);
    last.watermark(60, sums::add);
    assertThat(sums).hasSize(1);
    assertThat(sums.get(0).longs(4)[0]).isEqualTo(15);
  }

  /** Small in each part but large in total: why only the last layer may select. */
  @Test
  void layersFindTheGreatestTotals() throws Exception {
    List<TableBlock> partials = new ArrayList<>();
    for (int part = 0; part < 3; part++) {
      partials.add(rows(60, 10L + part, 80, 1, 50, 60, 1, 80, 1, 30));
    }
    List<TableBlock> halves = new ArrayList<>();
    halves.addAll(run(Combiner.of(ROWS), partials.subList(0, 2)));
    halves.addAll(run(Combiner.of(ROWS), partials.subList(2, 3)));
    List<TableBlock> top = run(Combiner.greatest(ROWS, 1, "bytes"), halves);
    assertThat(top).hasSize(1);
    assertThat(top.get(0).text(0, 1)).isEqualTo("2001:db8::1");
    assertThat(top.get(0).longs(4)[0]).isEqualTo(90);
  }

  private static List<TableBlock> run(Combiner combiner, List<TableBlock> input) throws Exception {
    List<TableBlock> output = new ArrayList<>();
    combiner.open(AnalyzerContext.alone());
    for (TableBlock block : input) {
      combiner.process(block, output::add);
    }
    combiner.watermark(Long.MAX_VALUE, output::add);
    return output;
  }

  /** Three subtasks are restored to two: every row is in exactly one. */
  @Test
  void stateOfMoreSubtasksIsRedistributed() throws Exception {
    List<byte[]> pieces = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Combiner old = Combiner.of(ROWS);
      old.open(new WatchedContext(i, 3));
      old.process(rows(60, 1, 80, 1, 10L + i), block -> {});
      int index = i;
      old.snapshot(
          (piece, version, state) -> {
            assertThat(piece).isEqualTo(index);
            pieces.add(state);
          });
    }
    long bytes = 0;
    for (int i = 0; i < 2; i++) {
      Combiner combiner = Combiner.of(ROWS);
      combiner.open(new WatchedContext(i, 2));
      for (int piece = 0; piece < 3; piece++) {
        combiner.restore(piece, 0, pieces.get(piece));
      }
      List<TableBlock> output = new ArrayList<>();
      combiner.watermark(Long.MAX_VALUE, output::add);
      bytes += output.get(0).longs(4)[0];
    }
    assertThat(bytes).isEqualTo(10 + 11 + 12);
  }

  @Test
  void rejectsShapesThatCannotBeAddedUp() {
    TableSchema named = TableSchema.builder().time("end").text("name").number("n").build();
    assertThatThrownBy(() -> new CombinedRows(named, 1)).hasMessageContaining("'name' is TEXT");
    assertThatThrownBy(() -> new CombinedRows(SCHEMA, 5)).hasMessageContaining("5 sums");
    assertThatThrownBy(() -> Combiner.greatest(ROWS, 3, "port"))
        .hasMessageContaining("'port' is not a sum, expected one of [flows, bytes]");
    assertThatThrownBy(() -> Combiner.greatest(ROWS, 0, "bytes"))
        .hasMessageContaining("maximum of 0 rows");
  }
}
