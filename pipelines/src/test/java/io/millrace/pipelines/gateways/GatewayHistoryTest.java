package io.millrace.pipelines.gateways;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.testing.WatchedContext;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.gateway.GatewayBatch;
import io.millrace.wire.gateway.GatewayForm;
import io.millrace.wire.record.RecordEncoding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GatewayHistoryTest {
  private static RawBatch value(RecordEncoding encoding, boolean isBackfill) {
    GatewayBatch.Writer writer = new GatewayBatch.Writer();
    writer.begin(encoding, Optional.of(GatewayForm.RATE), 1_700_000_000_000_000L, null, -1);
    if (isBackfill) {
      writer.backfill();
    }
    writer.addSender("client".getBytes(StandardCharsets.UTF_8), 7);
    byte[] record =
        "{\"gateway_id\": \"gw-1\", \"date\": 1600000000000, \"ipTx\": 1, \"ipRx\": 2}\n"
            .getBytes(StandardCharsets.UTF_8);
    writer.add(record, 0, record.length);
    return RawBatch.wrap(writer.toBytes(), 0, 1);
  }

  @Test
  void historyGoesItsOwnWay() {
    List<String> seen = new ArrayList<>();
    Emitter<GatewayBlock> out =
        new Emitter<>() {
          @Override
          public void emit(GatewayBlock block) {
            seen.add("now " + block.rows());
          }

          @Override
          public <B extends Block> void emit(Output<B> output, B block) {
            seen.add(output.name() + " " + ((GatewayBlock) block).rows());
          }
        };
    GatewayDecoding decoding = new GatewayDecoding();
    decoding.open(new WatchedContext());
    decoding.process(value(RecordEncoding.JSON, false), out);
    decoding.process(value(RecordEncoding.JSON, true), out);
    assertThat(seen).containsExactly("now 1", "history 1");
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
                assertThat(history).contains("3 records of history were dropped", "oldest first"));
  }
}
