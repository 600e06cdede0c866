package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.nat.NatEvents;
import io.millrace.wire.netflow.FullBlocks;
import io.millrace.wire.netflow.NetflowDecoder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class NatEventTableTest {
  /** IPFIX: natEvent, outside address, port block; two allocations. */
  private static final byte[] DATAGRAM =
      HexFormat.of()
          .parseHex(
              "000a0040"
                  + "6553f100"
                  + "00000000"
                  + "00000007"
                  + "00020018"
                  + "01000004"
                  + "00e60001"
                  + "00e10004"
                  + "01690002"
                  + "016a0002"
                  + "01000016"
                  + "10c00002090400043f" // 1024 to 1087
                  + "10c00002090440047f");

  private final List<TableBlock> events = new ArrayList<>();
  private int flows;
  private final Emitter<FlowBlock> out =
      new Emitter<>() {
        @Override
        public void emit(FlowBlock block) {
          flows += block.rows();
        }

        @Override
        public <B extends Block> void emit(Output<B> output, B block) {
          if (output.equals(NatEventTable.ROWS)) {
            events.add((TableBlock) block);
          }
        }
      };

  private static RawBatch value(long offset, int datagrams) {
    RawBatch.Writer batch = new RawBatch.Writer(0);
    byte[] datagram = DATAGRAM.clone();
    datagram[3] = (byte) datagram.length;
    for (int i = 0; i < datagrams; i++) {
      batch.add(
          1_700_000_000_000_000L,
          0,
          Addresses.v4Low(0x0A000009),
          4739,
          datagram,
          0,
          datagram.length);
    }
    return RawBatch.wrap(batch.toBytes(), 0, offset);
  }

  @Test
  void eventsOfAValueAreOneBlockAndNoFlows() {
    FlowDecoder decoder = new FlowDecoder(FlowsConfig.defaults(), 1);
    decoder.process(value(1, 2), out);
    decoder.process(value(2, 1), out);
    assertThat(events).extracting(TableBlock::rows).containsExactly(4, 2);
    assertThat(events.get(1).text(1, NatEvents.SCHEMA.indexOf("outside_port_end")))
        .isEqualTo("1151");
    assertThat(flows).isZero();
  }

  @Test
  void datagramThatFailsLeavesNoEvents() {
    FlowDecoder decoder =
        new FlowDecoder(FlowsConfig.defaults(), 1) {
          private int decoded;

          @Override
          void decode(
              io.millrace.wire.block.ExportProtocol protocol,
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
    assertThat(events).extracting(TableBlock::rows).containsExactly(4);
  }
}
