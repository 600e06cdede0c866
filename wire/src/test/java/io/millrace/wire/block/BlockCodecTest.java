package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BlockCodecTest {
  private static final String GOLDEN = "flow-block-version-1.bin";

  private final BlockBuffer buffer = new BlockBuffer(0);

  /** The block in the golden file of version 1; must never change. */
  private static FlowBlock golden() {
    FlowBlock block = FlowBlocks.traffic(new Random(1), 50);
    byte[] text = "name".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    block.names().add(77, text, 0, text.length);
    return block;
  }

  /** Rewrites the golden file; argument: the resources directory. */
  public static void main(String[] args) throws IOException {
    BlockBuffer buffer = new BlockBuffer(0);
    BlockCodec.encode(golden(), buffer);
    Files.write(Path.of(args[0], GOLDEN), buffer.toBytes());
  }

  private static byte[] goldenBytes() throws IOException {
    try (InputStream in = BlockCodecTest.class.getResourceAsStream(GOLDEN)) {
      assertThat(in).as(GOLDEN).isNotNull();
      return in.readAllBytes();
    }
  }

  @Test
  void readsTheBlocksOfVersion1() throws IOException {
    byte[] bytes = goldenBytes();

    FlowBlocks.assertSame((FlowBlock) BlockCodec.decode(bytes, 0, bytes.length), golden());
  }

  @Test
  void writesTheBlocksOfVersion1() throws IOException {
    BlockCodec.encode(golden(), buffer);

    assertThat(buffer.toBytes()).isEqualTo(goldenBytes());
  }

  @Test
  void aColumnThatIsNotThereIsNullInEveryRow() {
    FlowBlock block = new FlowBlock(2);
    block.rows(2);
    for (FlowColumn column : FlowColumn.ALL) {
      if (column.type() == FlowColumn.Type.ADDRESS) {
        Arrays.fill(block.addressHigh(column), Addresses.NULL);
        Arrays.fill(block.addressLow(column), Addresses.NULL);
      } else if (column.type().isInt()) {
        Arrays.fill(block.ints(column), FlowBlock.NULL);
      } else {
        Arrays.fill(block.longs(column), FlowBlock.NULL);
      }
    }

    int length = BlockCodec.encode(block, buffer);

    assertThat(length).as("only the log index").isLessThan(60);
    FlowBlocks.assertSame((FlowBlock) BlockCodec.decode(buffer.bytes(), 0, length), block);
  }

  @Test
  void stepsOverASectionThatItDoesNotKnow() {
    FlowBlock block = FlowBlocks.random(new Random(2), 5);
    BlockCodec.encode(block, buffer);
    int countAt = 4 + 16;
    byte[] bytes = buffer.bytes();
    buffer.setInt(countAt, (bytes[countAt] & 0xFF) + 1);
    buffer.putShort(FlowColumn.ALL.size());
    buffer.putInt(3);
    buffer.put(new byte[] {1, 2, 3}, 0, 3);

    FlowBlocks.assertSame((FlowBlock) BlockCodec.decode(buffer.bytes(), 0, buffer.length()), block);
  }

  @Test
  void rejectsANewerVersion() throws IOException {
    byte[] bytes = goldenBytes();
    bytes[1]++;

    assertThatThrownBy(() -> BlockCodec.decode(bytes, 0, bytes.length))
        .isInstanceOf(BlockFormatException.class)
        .hasMessageContaining("version 2");
  }

  @Test
  void rejectsABlockThatIsCutAnywhere() throws IOException {
    byte[] bytes = goldenBytes();

    for (int length = 0; length < bytes.length; length++) {
      int cut = length;
      assertThatThrownBy(() -> BlockCodec.decode(bytes, 0, cut))
          .as("%d bytes", cut)
          .isInstanceOf(BlockFormatException.class);
    }
  }

  @Test
  void rejectsRowsThatNoBytesProve() {
    buffer.put(new byte[] {2, 1, 0, 0, -1, -1, -1, 127}, 0, 8);
    buffer.put(new byte[100], 0, 100);

    assertThatThrownBy(() -> BlockCodec.decode(buffer.bytes(), 0, buffer.length()))
        .isInstanceOf(BlockFormatException.class)
        .hasMessageContaining("rows");
  }

  @Test
  void rejectsToReadABatchAsFlows() {
    BlockCodec.encode(RawBatch.wrap(new byte[3], 1, 2), buffer);

    assertThatThrownBy(
            () -> BlockCodec.decode(buffer.bytes(), 0, buffer.length(), new FlowBlock(0)))
        .isInstanceOf(BlockFormatException.class);
  }

  @Test
  void hasNoBytesForABlockOfAnotherKind() {
    assertThatThrownBy(() -> BlockCodec.encode(() -> 0, buffer))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
