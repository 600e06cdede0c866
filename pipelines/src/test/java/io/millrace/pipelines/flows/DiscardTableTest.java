package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.netflow.FullBlocks;
import io.millrace.wire.netflow.NetflowDecoder;
import io.millrace.wire.sflow.Discards;
import io.millrace.wire.sflow.SflowEncoder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiscardTableTest {
  private static final int REASON = Discards.SCHEMA.indexOf("reason");

  private final List<TableBlock> discards = new ArrayList<>();
  private int flows;
  private final Emitter<FlowBlock> out =
      new Emitter<>() {
        @Override
        public void emit(FlowBlock block) {
          flows += block.rows();
        }

        @Override
        public <B extends Block> void emit(Output<B> output, B block) {
          if (output.equals(DiscardTable.ROWS)) {
            discards.add((TableBlock) block);
          }
        }
      };

  /** A value of datagrams, each with two notifications and a flow sample. */
  private static RawBatch value(long offset, int datagrams) {
    SflowEncoder encoder = new SflowEncoder(500);
    encoder.begin(0, Addresses.v4Low(0x0A000009), 0, 1, 1);
    encoder.discardedPacket(1, 7, 0, 7, 0, 258);
    encoder.flowSample(1, 0, 7, 10, 10, 0, 7, 0, 8);
    encoder.sampledIpv4(40, 6, 1, 2, 3, 4, 5, 6);
    encoder.discardedPacket(2, 7, 0, 7, 0, 260);
    RawBatch.Writer batch = new RawBatch.Writer(0);
    for (int i = 0; i < datagrams; i++) {
      batch.add(
          1_700_000_000_000_000L,
          0,
          Addresses.v4Low(0x0A000009),
          50_000,
          encoder.bytes(),
          0,
          encoder.length());
    }
    return RawBatch.wrap(batch.toBytes(), 0, offset);
  }

  @Test
  void discardedPacketsOfAValueAreOneBlock() {
    FlowDecoder decoder = new FlowDecoder(FlowsConfig.defaults(), 1);
    decoder.process(value(1, 2), out);
    decoder.process(value(2, 1), out);
    assertThat(discards).extracting(TableBlock::rows).containsExactly(4, 2);
    assertThat(discards.get(1).text(0, REASON)).isEqualTo("acl");
    assertThat(discards.get(1).text(1, REASON)).isEqualTo("red");
    assertThat(flows).isEqualTo(3);
  }

  @Test
  void datagramThatFailsLeavesNone() {
    FlowDecoder decoder =
        new FlowDecoder(FlowsConfig.defaults(), 1) {
          private int decoded;

          @Override
          void decode(
              ExportProtocol protocol,
              RawBatch batch,
              int cursor,
              NetflowDecoder records,
              FlowBlock block,
              FullBlocks full) {
            super.decode(protocol, batch, cursor, records, block, full);
            if (++decoded == 2) {
              throw new IllegalStateException("a fault of ours");
            }
          }
        };
    decoder.process(value(1, 3), out);
    assertThat(discards).extracting(TableBlock::rows).containsExactly(4);
  }
}
