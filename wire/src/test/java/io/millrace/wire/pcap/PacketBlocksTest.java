package io.millrace.wire.pcap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.PacketBlock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PacketBlocksTest {
  private static final int LIMIT =
      PacketBlock.HEADER_LENGTH + 2 * (PacketBlock.PACKET_HEADER_LENGTH + 40);

  private static byte[] fivePackets() {
    CaptureBytes capture = CaptureBytes.pcapng(ByteOrder.LITTLE_ENDIAN).iface(1, 0).iface(101, 0);
    for (int i = 0; i < 5; i++) {
      capture.enhanced(i % 2, 1_000_000L * i, 100 + i, new byte[40]);
    }
    return capture.toBytes();
  }

  private static PacketBlocks blocks(byte[] capture, int mostBytes, long mostMicros)
      throws IOException {
    return new PacketBlocks(
        CaptureReader.open(new ByteArrayInputStream(capture)), mostBytes, mostMicros);
  }

  @Test
  void takesAsManyPacketsAsFitAndAllOfThem() throws IOException {
    PacketBlocks blocks = blocks(fivePackets(), LIMIT, Long.MAX_VALUE);

    PacketBlock first = blocks.next();
    assertThat(first.rows()).isEqualTo(2);
    assertThat(first.length()).isLessThanOrEqualTo(LIMIT);
    assertThat(first.linkNumber(0)).isEqualTo(1);
    assertThat(first.linkNumber(1)).isEqualTo(101);
    assertThat(first.interfaceNumber(1)).isEqualTo(1);
    assertThat(first.wireLength(1)).isEqualTo(101);
    assertThat(blocks.next().rows()).isEqualTo(2);
    assertThat(blocks.next().time(0)).isEqualTo(4_000_000);
    assertThat(blocks.next()).isNull();
    assertThat(blocks.next()).isNull();
  }

  @Test
  void givesAPacketLargerThanABlockABlockOfItsOwn() throws IOException {
    PacketBlocks blocks = blocks(fivePackets(), 1, Long.MAX_VALUE);

    for (int i = 0; i < 5; i++) {
      assertThat(blocks.next().rows()).isEqualTo(1);
    }
    assertThat(blocks.next()).isNull();
  }

  @Test
  void endsABlockWhereTheNextPacketIsMuchYounger() throws IOException {
    PacketBlocks blocks = blocks(fivePackets(), 1 << 20, 3_000_000);

    assertThat(blocks.next().rows()).isEqualTo(3);
    assertThat(blocks.next().rows()).isEqualTo(2);
  }

  @Test
  void reportsDamageAfterTheEarlierPackets() throws IOException {
    byte[] whole = fivePackets();
    PacketBlocks blocks = blocks(Arrays.copyOf(whole, whole.length - 1), 1 << 20, Long.MAX_VALUE);

    assertThat(blocks.next().rows()).isEqualTo(4);
    assertThatThrownBy(blocks::next).isInstanceOf(CaptureException.class);
    assertThat(blocks.next()).isNull();
  }
}
