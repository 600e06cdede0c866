package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class BlockCodecPropertyTest {
  private final BlockBuffer buffer = new BlockBuffer(0);

  @Property
  void decodingGivesTheEncodedFlows(
      @ForAll long seed,
      @ForAll @IntRange(max = 40) int rows,
      @ForAll @IntRange(max = 9) int before) {
    FlowBlock block = FlowBlocks.random(new Random(seed), rows);
    buffer.clear();
    buffer.take(before);

    int length = BlockCodec.encode(block, buffer);

    assertThat(length).isEqualTo(buffer.length() - before);
    FlowBlocks.assertSame((FlowBlock) BlockCodec.decode(buffer.bytes(), before, length), block);
  }

  @Property
  void decodingGivesTheEncodedTable(@ForAll long seed, @ForAll @IntRange(max = 40) int rows) {
    TableBlock block = TableBlocks.random(new Random(seed), rows);
    buffer.clear();

    int length = BlockCodec.encode(block, buffer);

    TableBlocks.assertSame((TableBlock) BlockCodec.decode(buffer.bytes(), 0, length), block);
  }

  @Property
  void decodingIntoAUsedBlockLeavesNothingOfWhatItHeld(@ForAll long seed) {
    Random random = new Random(seed);
    FlowBlock block = FlowBlocks.random(random, random.nextInt(20));
    FlowBlock used = FlowBlocks.random(random, random.nextInt(20));
    buffer.clear();
    int length = BlockCodec.encode(block, buffer);

    BlockCodec.decode(buffer.bytes(), 0, length, used);

    FlowBlocks.assertSame(used, block);
  }

  @Property
  void decodingGivesTheEncodedBatch(
      @ForAll byte[] value, @ForAll int partition, @ForAll long offset) {
    buffer.clear();
    int length = BlockCodec.encode(RawBatch.wrap(value, partition, offset), buffer);

    RawBatch batch = (RawBatch) BlockCodec.decode(buffer.bytes(), 0, length);

    assertThat(batch.bytes()).isEqualTo(value);
    assertThat(batch.length()).isEqualTo(value.length);
    assertThat(batch.partition()).isEqualTo(partition);
    assertThat(batch.offset()).isEqualTo(offset);
  }
}
