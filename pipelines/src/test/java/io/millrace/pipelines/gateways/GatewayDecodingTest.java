package io.millrace.pipelines.gateways;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.testing.WatchedContext;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.block.RawBatch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GatewayDecodingTest {
  @Test
  void aFaultOfOursCostsTheValueAlone() {
    WatchedContext context = new WatchedContext();
    GatewayDecoding decoding =
        new GatewayDecoding() {
          @Override
          void decode(RawBatch value, GatewayBlock block) {
            throw new ArrayIndexOutOfBoundsException("as a fault of ours would");
          }
        };
    decoding.open(context);
    List<RawBatch> rejected = new ArrayList<>();
    RawBatch value = RawBatch.wrap(new byte[] {1, 2, 3}, 1, 7);
    decoding.process(
        value,
        new Emitter<>() {
          @Override
          public void emit(GatewayBlock block) {
            throw new AssertionError("nothing was decoded");
          }

          @Override
          public void reject(RawBatch rejection) {
            rejected.add(rejection);
          }
        });
    assertThat(rejected).containsExactly(value);
    assertThat(context.counters().get("wrongRecords")).isEqualTo(1);
  }
}
