package io.millrace.store.duckdb.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowSchema;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Rejects;
import io.millrace.wire.sflow.SflowDecoder;
import io.millrace.wire.sflow.SflowEncoder;
import io.millrace.wire.sflow.SflowLayout;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which rows each stored table has. */
class FlowPartTest {
  /** A UDP packet of 42 bytes of headers: 192.0.2.1 port 53 to 192.0.2.2 port 5353. */
  private static final byte[] FRAME =
      HexFormat.of()
          .parseHex(
              "020000000001020000000002"
                  + "0800"
                  + "4500001c0000000040110000c0000201c0000202"
                  + "003514e900080000");

  private static FlowBlock sampled() {
    long agent = Addresses.v4Low(0xC0000263);
    SflowEncoder encoder = new SflowEncoder(1_500);
    encoder.begin(0, agent, 7, 1, 1_000);
    encoder.flowSample(1, 0, 3, 1_000, 1_000, 0, 3, 0, 4);
    encoder.rawHeader(SflowLayout.PROTOCOL_ETHERNET, 46, 4, FRAME, 0, FRAME.length);
    encoder.extendedSwitch(10, 0, 10, 0);
    byte[] datagram = encoder.toBytes();
    FlowBlock block = new FlowBlock(1);
    new SflowDecoder()
        .decode(
            datagram, 0, datagram.length, 1, 0, agent, block, new CounterBlock(1), Rejects.NONE);
    return block;
  }

  @Test
  void sampledPacketsAreStoredWithoutTheColumnsOfRecords() {
    FlowBlock block = sampled();

    assertThat(block.rows()).isEqualTo(1);
    assertThat(FlowPart.of(block)).isEqualTo(FlowPart.PACKETS);
    FlowLayout layout = FlowLayout.of(FlowPart.PACKETS, new FlowSchema(List.of()));
    assertThat(FlowColumn.ALL)
        .filteredOn(block::has)
        .allSatisfy(column -> assertThat(layout.place(column.columnName())).isNotNegative());
    assertThat(layout.place("flow_start")).isNegative();
  }

  @Test
  void rowsWithColumnsOfRecordsAreRecords() {
    FlowBlock block = sampled();
    block.ints(FlowColumn.SRC_MASK)[0] = 24;

    assertThat(FlowPart.of(block)).isEqualTo(FlowPart.RECORDS);
  }
}
