package io.millrace.pipelines.gateways;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GatewayHistoryTest {
  /** Records with the given flags, each with its index as the time. */
  private static TableBlock records(int... flags) {
    TableBlock records = GatewayRecords.block(flags.length);
    for (int flag : flags) {
      int row = records.rows();
      GatewayRecords.add(records, new byte[] {'g'}, row, 1, 2, GatewayForm.RATE);
      records.longs(GatewayRecords.BACKFILL)[row] = flag;
    }
    return records;
  }

  @Test
  void historyIsSeparatedFromLiveRecords() {
    List<String> seen = new ArrayList<>();
    Emitter<TableBlock> out =
        new Emitter<>() {
          @Override
          public void emit(TableBlock block) {
            seen.add("live " + times(block));
          }

          @Override
          public <B extends Block> void emit(Output<B> output, B block) {
            seen.add(output.name() + " " + times((TableBlock) block));
          }
        };
    HistorySplit split = new HistorySplit();
    split.process(records(0, 0), out);
    split.process(records(1, 1), out);
    split.process(records(0, 1, 0), out);
    assertThat(seen).containsExactly("live [0, 1]", "history [0, 1]", "history [1]", "live [0, 2]");
  }

  private static String times(TableBlock block) {
    return Arrays.toString(Arrays.copyOf(block.longs(GatewayRecords.TIME), block.rows()));
  }

  @Test
  void dropsAreReportedWithTheirRemedy() {
    GatewaysPipeline pipeline = new GatewaysPipeline();
    assertThat(pipeline.problems(Map.of())).isEmpty();
    assertThat(
            pipeline.problems(
                Map.of(
                    GatewaysPipeline.DAYS_STEP + ".droppedRecords", 7L,
                    GatewaysPipeline.HISTORY_STEP + ".droppedRecords", 3L)))
        .satisfiesExactly(
            now -> assertThat(now).contains("7 records were dropped", "send gateways --backfill"),
            history ->
                assertThat(history)
                    .contains("3 late history records were dropped", "oldest first"));
  }
}
