package io.millrace.store.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowSchema;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockFormatException;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

class StoreProtocolPropertyTest {
  private static BlockInput input(BlockBuffer written) {
    return new BlockInput(written.bytes(), 0, written.length());
  }

  @Property(tries = 200)
  void frontiersRoundTrip(@ForAll @Size(max = 20) Map<@IntRange(min = 0) Integer, Long> next)
      throws IOException {
    BlockBuffer out = new BlockBuffer(16);
    StoreProtocol.putFrontier(new Frontier(next), out);
    assertThat(StoreProtocol.takeFrontier(input(out))).isEqualTo(new Frontier(next));
  }

  @Property(tries = 200)
  void textsRoundTrip(@ForAll @StringLength(max = 500) String text) throws IOException {
    BlockBuffer out = new BlockBuffer(16);
    StoreProtocol.putText(text, out);
    BlockInput in = input(out);
    // a lone surrogate has no UTF-8 and is decoded as a question mark
    assertThat(StoreProtocol.takeText(in))
        .isEqualTo(
            new String(
                text.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                java.nio.charset.StandardCharsets.UTF_8));
    assertThat(in.remaining()).isZero();
  }

  @Property(tries = 50)
  void schemasRoundTrip(@ForAll @IntRange(max = 30) int columns) throws IOException {
    List<FlowSchema.AddedColumn> joined =
        java.util.stream.IntStream.range(0, columns)
            .mapToObj(
                i ->
                    new FlowSchema.AddedColumn(
                        "column_" + i,
                        i % 3 == 0 ? JoinedColumn.Kind.NUMBER : JoinedColumn.Kind.TEXT))
            .toList();
    BlockBuffer out = new BlockBuffer(16);
    StoreProtocol.putSchema(new FlowSchema(joined), out);
    assertThat(StoreProtocol.takeSchema(input(out))).isEqualTo(new FlowSchema(joined));
  }

  @Property(tries = 2_000)
  void anyBytesAreReadOrRejected(@ForAll @Size(max = 200) byte[] bytes) throws IOException {
    for (int what = 0; what < 4; what++) {
      BlockInput in = new BlockInput(bytes, 0, bytes.length);
      try {
        switch (what) {
          case 0 -> StoreProtocol.takeHello(in);
          case 1 -> StoreProtocol.takeText(in);
          case 2 -> StoreProtocol.takeFrontier(in);
          default -> StoreProtocol.takeSchema(in);
        }
      } catch (ProtocolException | BlockFormatException | IllegalArgumentException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }
}
