package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class BlockCodecFuzzTest {
  private final BlockBuffer buffer = new BlockBuffer(0);

  @Property(tries = 3000)
  void mutatedBlocksAreReadOrRejected(@ForAll long seed) {
    Random random = new Random(seed);
    buffer.clear();
    int rows = random.nextInt(30);
    BlockCodec.encode(
        random.nextBoolean() ? FlowBlocks.random(random, rows) : TableBlocks.random(random, rows),
        buffer);
    byte[] bytes = buffer.toBytes();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length;

    decode(Arrays.copyOf(bytes, length));
  }

  @Property
  void anyBytesAreReadOrRejected(@ForAll byte[] bytes) {
    decode(bytes);
  }

  @Property
  void anyBytesAfterAHeaderAreReadOrRejected(
      @ForAll byte[] bytes, @ForAll @IntRange(min = 1, max = 3) int family) {
    byte[] block = new byte[bytes.length + 4];
    block[0] = (byte) family;
    block[1] = 1;
    System.arraycopy(bytes, 0, block, 4, bytes.length);
    decode(block);
  }

  private static void decode(byte[] bytes) {
    try {
      Block block = BlockCodec.decode(bytes, 0, bytes.length);
      assertThat(block.rows()).isNotNegative();
    } catch (BlockFormatException e) {
      assertThat(e).hasMessageContaining("byte");
    }
  }
}
