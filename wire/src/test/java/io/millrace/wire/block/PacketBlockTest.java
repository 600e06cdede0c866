package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PacketBlockTest {
  private static final String GOLDEN = "packet-block-version-1.bin";
  private static final byte[] HELLO = "hello".getBytes(StandardCharsets.US_ASCII);

  private static PacketBlock twoPackets() {
    PacketBlock.Writer writer = new PacketBlock.Writer();
    writer.add(1_700_000_000_000_001L, 1, 7, 0xFFFF_FFFFL, HELLO, 1, 3);
    writer.add(-1, 65_535, 0, 0, HELLO, 2, 0);
    return writer.toBlock();
  }

  /** Rewrites the golden file; argument: the resources directory. */
  public static void main(String[] args) throws IOException {
    BlockBuffer buffer = new BlockBuffer(0);
    BlockCodec.encode(twoPackets(), buffer);
    Files.write(Path.of(args[0], GOLDEN), buffer.toBytes());
  }

  @Test
  void readsAndWritesTheBytesOfVersion1() throws IOException {
    byte[] golden;
    try (InputStream in = PacketBlockTest.class.getResourceAsStream(GOLDEN)) {
      assertThat(in).as(GOLDEN).isNotNull();
      golden = in.readAllBytes();
    }
    PacketBlock block = (PacketBlock) BlockCodec.decode(golden, 0, golden.length);
    assertThat(block.bytes()).isEqualTo(twoPackets().bytes());
    BlockBuffer again = new BlockBuffer(0);
    BlockCodec.encode(block, again);
    assertThat(again.toBytes()).isEqualTo(golden);
  }

  @Test
  void givesBackWhatWasWritten() {
    PacketBlock block = PacketBlock.wrap(twoPackets().bytes()).orElseThrow();

    assertThat(block.rows()).isEqualTo(2);
    assertThat(block.time(0)).isEqualTo(1_700_000_000_000_001L);
    assertThat(block.linkNumber(0)).isEqualTo(1);
    assertThat(block.interfaceNumber(0)).isEqualTo(7);
    assertThat(block.wireLength(0)).isEqualTo(0xFFFF_FFFFL);
    assertThat(text(block, 0)).isEqualTo("ell");
    assertThat(block.time(1)).isEqualTo(-1);
    assertThat(block.linkNumber(1)).isEqualTo(65_535);
    assertThat(block.wireLength(1)).isZero();
    assertThat(text(block, 1)).isEmpty();
    assertThat(block.length()).isEqualTo(block.bytes().length);
  }

  private static String text(PacketBlock block, int row) {
    return new String(
        block.bytes(),
        block.start(row),
        block.end(row) - block.start(row),
        StandardCharsets.US_ASCII);
  }

  @Test
  void isNoBlockWhenCutAnywhereOrLonger() {
    byte[] whole = twoPackets().bytes();

    for (int length = 0; length < whole.length; length++) {
      assertThat(PacketBlock.wrap(whole, length)).as("%d bytes", length).isEmpty();
    }
    assertThat(PacketBlock.wrap(Arrays.copyOf(whole, whole.length + 1))).isEmpty();
  }

  @Test
  void everyPacketOfMutatedBytesLiesWithinThem() {
    Random random = new Random(1);
    int sound = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = twoPackets().bytes();
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      PacketBlock block = PacketBlock.wrap(bytes).orElse(null);
      if (block != null) {
        sound++;
        for (int row = 0; row < block.rows(); row++) {
          assertThat(block.start(row)).isBetween(0, block.end(row));
          assertThat(block.end(row)).isLessThanOrEqualTo(bytes.length);
        }
      }
    }
    assertThat(sound).isPositive();
  }

  @Test
  void selectsPacketsInTheOrderAsked() {
    PacketBlock selected = twoPackets().select(new int[] {1, 0, 0}, 2);

    assertThat(selected.rows()).isEqualTo(2);
    assertThat(selected.time(0)).isEqualTo(-1);
    assertThat(text(selected, 1)).isEqualTo("ell");
    assertThat(selected.wireLength(1)).isEqualTo(0xFFFF_FFFFL);
    assertThat(PacketBlock.wrap(selected.bytes())).isPresent();
  }

  @Test
  void writesNothingOfThePacketsBeforeClear() {
    PacketBlock.Writer writer = new PacketBlock.Writer();
    for (int i = 0; i < 1_000; i++) {
      writer.add(i, 1, 0, 60, HELLO, 0, 5);
    }
    assertThat(writer.length()).isEqualTo(writer.toBytes().length);
    writer.clear();

    assertThat(writer.rows()).isZero();
    assertThat(writer.toBytes()).hasSize(PacketBlock.HEADER_LENGTH);
    assertThat(PacketBlock.wrap(writer.toBytes())).isPresent();
  }
}
