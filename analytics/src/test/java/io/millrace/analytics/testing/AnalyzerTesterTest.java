package io.millrace.analytics.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A tester is useful if it finds defects: each one here is a common mistake of authors. */
class AnalyzerTesterTest {
  private static final long MINUTE = 60_000_000;

  private static TableBlock block(long... timeSourceBytes) {
    int rows = timeSourceBytes.length / 3;
    TableBlock block = new TableBlock(BytesBySource.IN, rows);
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < 3; column++) {
        block.longs(column)[row] = timeSourceBytes[3 * row + column];
      }
    }
    block.rows(rows);
    return block;
  }

  private static void check(Supplier<? extends Analyzer<TableBlock, TableBlock>> analyzer) {
    AnalyzerTester.of(analyzer)
        .keyedBy(BytesBySource.KEYS)
        .feed(block(1, 7, 100, 2, 8, 50, 3, 7, 1, MINUTE, 7, 5))
        .feed(block(4, 9, 30, MINUTE + 1, 8, 2))
        .watermark(MINUTE)
        .feed(block(MINUTE + 2, 7, 3))
        .expect("0 7 101", "0 8 50", "0 9 30", "60000000 7 8", "60000000 8 2");
  }

  @Test
  void anAnalyzerThatIsRightPasses() {
    check(BytesBySource::new);
  }

  @Test
  void stateMissingInTheSnapshotIsDetected() {
    assertThatThrownBy(
            () ->
                check(
                    () ->
                        new BytesBySource() {
                          @Override
                          public StateSnapshot snapshot() {
                            return StateSnapshot.of(sums.snapshot(), new Nothing());
                          }
                        }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("restored after every input")
        .hasMessageContaining("missing:  [0 7 101");
  }

  /** An empty state, as serialised timers. */
  private record Nothing() implements StateSnapshot {
    @Override
    public boolean isEmpty(int group) {
      return true;
    }

    @Override
    public void write(int group, BlockBuffer out) {
      out.putInt(0);
    }
  }

  @Test
  void aSnapshotThatSharesArraysWithTheAnalyzerIsDetected() {
    assertThatThrownBy(
            () ->
                check(
                    () ->
                        new BytesBySource() {
                          @Override
                          public StateSnapshot snapshot() {
                            return new Late(this);
                          }
                        }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("unexpected:");
  }

  /** A snapshot that is taken only when it is written. */
  private record Late(BytesBySource analyzer) implements StateSnapshot {
    @Override
    public boolean isEmpty(int group) {
      return now().isEmpty(group);
    }

    @Override
    public void write(int group, BlockBuffer out) throws IOException {
      now().write(group, out);
    }

    private StateSnapshot now() {
      return StateSnapshot.of(analyzer.sums.snapshot(), analyzer.timers.snapshot());
    }
  }

  @Test
  void stateThatIsNeverRemovedIsDetected() {
    assertThatThrownBy(
            () ->
                check(
                    () ->
                        new BytesBySource() {
                          @Override
                          public void process(TableBlock block, Emitter<TableBlock> out) {
                            super.process(block, out);
                            sums.entry(0, -1, -1);
                          }
                        }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("state left at the end, in key group");
  }

  @Test
  void resultsThatDependOnBlockBoundariesAreDetected() {
    Supplier<Analyzer<TableBlock, TableBlock>> firstRowOnly =
        () ->
            (block, out) -> {
              TableBlock result = block.select(new int[] {0}, 1);
              out.emit(result);
            };

    assertThatThrownBy(
            () -> AnalyzerTester.of(firstRowOnly).feed(block(1, 7, 1, 2, 8, 1)).expect("1 7 1"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("single rows")
        .hasMessageContaining("unexpected: [2 8 1]");
  }

  @Test
  void detectsABlockLostUnderBackPressure() {
    Supplier<Analyzer<TableBlock, TableBlock>> careless = () -> (block, out) -> out.offer(block);

    assertThatThrownBy(() -> AnalyzerTester.of(careless).feed(block(1, 7, 1)).expect("1 7 1"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("with back-pressure at every other offer")
        .hasMessageContaining("missing:  [1 7 1]");
  }

  /** Sums; emits large values to a side output. */
  private static final class Large extends BytesBySource {
    static final Output<TableBlock> LARGE = Output.ofTable("large");
    private final List<Output<?>> named;

    Large(Output<?>... named) {
      this.named = List.of(named);
    }

    @Override
    public List<Output<?>> outputs() {
      return named;
    }

    @Override
    public void process(TableBlock block, Emitter<TableBlock> out) {
      int[] large =
          IntStream.range(0, block.rows()).filter(row -> block.longs(2)[row] > 9).toArray();
      if (large.length > 0) {
        out.emit(LARGE, block.select(large, large.length));
      }
      super.process(block, out);
    }
  }

  @Test
  void eachOutputIsShownByItself() {
    AnalyzerTester.of(() -> new Large(Large.LARGE))
        .keyedBy(BytesBySource.KEYS)
        .feed(block(1, 7, 10, 2, 8, 2, 3, 7, 1, 4, 9, 30))
        .expectIn(Large.LARGE, "1 7 10", "4 9 30")
        .expect("0 7 11", "0 8 2", "0 9 30");
  }

  @Test
  void undeclaredOrUnexpectedOutputsAreDetected() {
    assertThatThrownBy(
            () ->
                AnalyzerTester.of(Large::new)
                    .feed(block(1, 7, 10))
                    .expectIn(Large.LARGE, "1 7 10")
                    .expect("0 7 10"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("does not declare its output large");
    assertThatThrownBy(
            () ->
                AnalyzerTester.of(() -> new Large(Large.LARGE))
                    .feed(block(1, 7, 10))
                    .expect("0 7 10"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("1 rows in the side output large");
  }

  /** Drops and counts rows of a closed minute. */
  private static final class Strict extends BytesBySource {
    private AnalyzerContext context;
    private AnalyzerContext.Counter late;

    @Override
    public void open(AnalyzerContext opened) {
      super.open(opened);
      context = opened;
      late = opened.counter("late");
    }

    @Override
    public void process(TableBlock block, Emitter<TableBlock> out) {
      int[] due =
          IntStream.range(0, block.rows())
              .filter(
                  row ->
                      (block.longs(0)[row] / MINUTE + 1) * MINUTE > context.currentWatermark() + 1)
              .toArray();
      late.add(block.rows() - due.length);
      super.process(block.select(due, due.length), out);
    }
  }

  @Test
  void rowsThatAreLateStayLateThroughRestores() {
    AnalyzerTester.of(Strict::new)
        .keyedBy(BytesBySource.KEYS)
        .feed(block(1, 7, 10, MINUTE + 1, 7, 1))
        .watermark(MINUTE)
        .feed(block(2, 7, 5, MINUTE + 2, 7, 3))
        .feed(block(3, 8, 5))
        .expectCounted("late", 2)
        .expect("0 7 10", "60000000 7 4");
  }

  @Test
  void anExceptionNamesTheWay() {
    assertThatThrownBy(
            () ->
                check(
                    () ->
                        new BytesBySource() {
                          @Override
                          public void restore(int group, BlockInput in) {
                            throw new IllegalStateException("no");
                          }
                        }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("restored after every input, from 1 subtask on")
        .hasMessageContaining("IllegalStateException: no");
  }
}
