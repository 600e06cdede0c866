package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.decode;
import static io.millrace.wire.netflow.Messages.ipfix;
import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.shorts;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Records of more bytes or packets than {@link FlowBounds} allows. */
class ImpossibleCountsTest {
  private static final long[] IMPOSSIBLE = {
    FlowBounds.MAX_BYTES + 1, Long.MAX_VALUE, Long.MIN_VALUE, -2, -1
  };

  private final NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
  private final Messages.Rows rows = new Messages.Rows();

  /** Records with source port, octets, packets and next hop, which is an optional column. */
  private void decodeRecords(long[]... counts) {
    byte[] template = shorts(256, 5, 8, 4, 7, 2, 15, 4, 1, 8, 2, 8);
    ByteBuffer records = ByteBuffer.allocate(26 * counts.length);
    for (int i = 0; i < counts.length; i++) {
      records.putInt(0x0A000001).putShort((short) i).putInt(0x0A000100 + i);
      records.putLong(counts[i][0]).putLong(counts[i][1]);
    }
    decode(decoder, ipfix(0, set(2, template), set(256, records.array())), 1, rows);
  }

  @Test
  void areLeftOutAndTheOthersStay() {
    long[][] counts = new long[2 * IMPOSSIBLE.length + 2][];
    counts[0] = new long[] {FlowBounds.MAX_BYTES, 1};
    for (int i = 0; i < IMPOSSIBLE.length; i++) {
      counts[2 * i + 1] = new long[] {IMPOSSIBLE[i], 1};
      counts[2 * i + 2] = new long[] {1, IMPOSSIBLE[i]};
    }
    counts[2 * IMPOSSIBLE.length + 1] = new long[] {7, FlowBounds.MAX_PACKETS};

    decodeRecords(counts);

    FlowBlock block = rows.block;
    assertThat(block.rows()).isEqualTo(2);
    assertThat(Arrays.copyOf(block.longs(FlowColumn.BYTES), 2))
        .containsExactly(FlowBounds.MAX_BYTES, 7);
    assertThat(Arrays.copyOf(block.longs(FlowColumn.PACKETS), 2))
        .containsExactly(1, FlowBounds.MAX_PACKETS);
    assertThat(block.ints(FlowColumn.SRC_PORT)[1]).isEqualTo(2 * IMPOSSIBLE.length + 1);
    assertThat(block.addressLow(FlowColumn.NEXT_HOP)[1] & 0xFF)
        .isEqualTo(2 * IMPOSSIBLE.length + 1);
    assertThat(Arrays.copyOf(block.logIndex(), 2)).containsExactly(0, 1);
    assertThat(rows.notes.rejects)
        .containsExactly(Map.entry(RejectReason.IMPOSSIBLE_COUNT, 2 * IMPOSSIBLE.length));
  }

  @Test
  void optionalColumnsDoNotLeakIntoTheNextRow() {
    decodeRecords(new long[] {-2, 1});
    byte[] template = shorts(257, 2, 8, 4, 1, 4);
    byte[] record = Messages.bytes(10, 0, 0, 1, 0, 0, 0, 5);
    decode(decoder, ipfix(1, set(2, template), set(257, record)), 1, rows);
    assertThat(rows.block.rows()).isEqualTo(1);
    assertThat(rows.block.addressLow(FlowColumn.NEXT_HOP)[0]).isEqualTo(Addresses.NULL);
  }

  @Test
  void ofOneDirectionLeaveTheOther() {
    byte[] template =
        ByteBuffer.allocate(20)
            .put(shorts(258, 3, 8, 4, 1, 8, 0x8001, 8))
            .putInt(NetflowLayout.REVERSE_ENTERPRISE)
            .array();
    for (long[] counts : new long[][] {{-2, 5}, {6, -2}, {-2, -2}, {8, 9}}) {
      byte[] record =
          ByteBuffer.allocate(20).putInt(0x0A000001).putLong(counts[0]).putLong(counts[1]).array();
      decode(decoder, ipfix(0, set(2, template), set(258, record)), 1, rows);
    }
    int stored = rows.block.rows();
    assertThat(Arrays.copyOf(rows.block.longs(FlowColumn.BYTES), stored))
        .containsExactly(5, 6, 8, 9);
    assertThat(Arrays.copyOf(rows.block.logIndex(), stored)).containsExactly(0, 1, 2, 3);
    assertThat(rows.notes.rejects.get(RejectReason.IMPOSSIBLE_COUNT)).isEqualTo(4);
  }
}
