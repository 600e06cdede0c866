package io.millrace.engine.warnings;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.testing.TwoInputTester;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import org.junit.jupiter.api.Test;

class WarningsTest {
  private static final long MINUTE = 60_000_000;

  private static TableBlock block(TableSchema schema, long... values) {
    int rows = values.length / schema.size();
    TableBlock block = new TableBlock(schema, rows);
    for (int i = 0; i < values.length; i++) {
      block.longs(i % schema.size())[i / schema.size()] = values[i];
    }
    block.rows(rows);
    return block;
  }

  private static TwoInputTester<TableBlock, TableBlock, TableBlock> disordered() {
    return TwoInputTester.of(Warnings::new)
        .keyedBy(Warnings.BY_SUBSCRIBER, Warnings.BY_SUBSCRIBER)
        .feedSecond(block(Warnings.VIDEOS, 5 * MINUTE, 7, 2 * MINUTE, 7, MINUTE, 8))
        .feedFirst(block(Warnings.USAGE, 4 * MINUTE, 7, 95, MINUTE, 7, 50, MINUTE, 8, 90))
        .watermark(6 * MINUTE)
        .feedSecond(block(Warnings.VIDEOS, 19 * MINUTE, 7, 16 * MINUTE - 1, 8, 16 * MINUTE, 8))
        .feedSecond(block(Warnings.VIDEOS, 3 * MINUTE, 7))
        .inAnyOrder();
  }

  @Test
  void joinsByEventTimeWhateverComesFirst() {
    disordered()
        .expectCounted("late", 1)
        .expect("300000000 7 95", "60000000 8 90", "959999999 8 90");
  }

  @Test
  void sortedInputGivesTheSame() {
    TwoInputTester.of(Warnings::new)
        .keyedBy(Warnings.BY_SUBSCRIBER, Warnings.BY_SUBSCRIBER)
        .feedFirst(block(Warnings.USAGE, MINUTE, 7, 50, MINUTE, 8, 90))
        .feedSecond(block(Warnings.VIDEOS, MINUTE, 8, 2 * MINUTE, 7))
        .feedFirst(block(Warnings.USAGE, 4 * MINUTE, 7, 95))
        .feedSecond(block(Warnings.VIDEOS, 5 * MINUTE, 7))
        .watermark(6 * MINUTE)
        .feedSecond(block(Warnings.VIDEOS, 16 * MINUTE - 1, 8, 16 * MINUTE, 8, 19 * MINUTE, 7))
        .expect("300000000 7 95", "60000000 8 90", "959999999 8 90");
  }

  /** The tester must find this defect. */
  @Test
  void anAnalyzerThatDependsOnArrivalIsDetected() {
    final class Hasty extends Warnings {
      @Override
      public void processSecond(TableBlock videos, Emitter<TableBlock> out) throws Exception {
        super.processSecond(videos, out);
        watermark(videos.longs(0)[0], out);
      }
    }
    assertThatThrownBy(
            () ->
                TwoInputTester.of(Hasty::new)
                    .keyedBy(Warnings.BY_SUBSCRIBER, Warnings.BY_SUBSCRIBER)
                    .feedFirst(block(Warnings.USAGE, MINUTE, 7, 90))
                    .feedSecond(block(Warnings.VIDEOS, MINUTE, 7))
                    .expect("60000000 7 90"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("second input first")
        .hasMessageContaining("missing:  [60000000 7 90]");
  }
}
