package io.millrace.wire.block;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The one form of blocks as bytes: between processes, in checkpoints, in files of tests.
 *
 * <pre>
 *   0        1         2       4
 *   +--------+---------+-------+--------------------------------------------+
 *   | family | version | flags | 1: a {@link RawBatch}: partition (4 bytes), offset (8), its bytes
 *   |        |         |       | 2: a {@link FlowBlock}: see {@code FlowBlockFormat}
 *   |        |         |       | 3: a {@link TableBlock}: see {@code TableBlockFormat}
 *   |        |         |       | 4: a {@link GatewayBlock}: see there
 *   |        |         |       | 5: a {@link PacketBlock}: its bytes
 *   +--------+---------+-------+--------------------------------------------+
 * </pre>
 *
 * All numbers are little-endian; flags are 0 and kept for later. A family's version goes up only
 * when an older reader could not make sense of the bytes; new columns need no new version. Every
 * version ever released stays readable.
 *
 * <p>Stateless: any thread may call it with a buffer and a block that are its own.
 */
public final class BlockCodec {
  private static final BlockFamily<RawBatch> RAW =
      new BlockFamily<>(1, "raw-batch", RawBatch.class, BlockCodec::write, BlockCodec::readRaw);

  private static final BlockFamily<FlowBlock> FLOWS =
      new BlockFamily<>(
          2, "flow-block", FlowBlock.class, FlowBlockFormat::write, BlockCodec::readFlows);

  /** All that there are. A new one is a line here. */
  private static final List<BlockFamily<?>> FAMILIES =
      List.of(RAW, FLOWS, TableBlockFormat.FAMILY, GatewayBlock.FAMILY, PacketBlock.FAMILY);

  private BlockCodec() {}

  /**
   * Appends a block to the buffer.
   *
   * @return number of bytes appended
   * @throws IllegalArgumentException if the block is of a class that has no bytes
   */
  public static int encode(Block block, BlockBuffer out) {
    int start = out.length();
    for (BlockFamily<?> family : FAMILIES) {
      if (family.type() == block.getClass()) {
        family.write(block, out);
        return out.length() - start;
      }
    }
    throw new IllegalArgumentException("no bytes for blocks of " + block.getClass().getName());
  }

  /** The family of a class; empty if this release has none. */
  @SuppressWarnings("unchecked") // Each class is of one family.
  public static <B extends Block> Optional<BlockFamily<B>> family(Class<B> type) {
    return FAMILIES.stream()
        .filter(each -> each.type() == type)
        .map(each -> (BlockFamily<B>) each)
        .findFirst();
  }

  /** The family of a name; empty if this release has none. */
  public static Optional<BlockFamily<?>> family(String name) {
    return FAMILIES.stream().filter(each -> each.name().equals(name)).findFirst();
  }

  private static void write(RawBatch batch, BlockBuffer out) {
    out.putInt(batch.partition());
    out.putLong(batch.offset());
    out.put(batch.bytes(), 0, batch.length());
  }

  private static RawBatch readRaw(BlockInput in) {
    int partition = in.takeInt();
    long logOffset = in.takeLong();
    int size = in.remaining();
    int start = in.take(size);
    return RawBatch.wrap(Arrays.copyOfRange(in.bytes(), start, start + size), partition, logOffset);
  }

  private static FlowBlock readFlows(BlockInput in) {
    int rows = FlowBlockFormat.readRows(in);
    FlowBlock block = new FlowBlock(rows);
    FlowBlockFormat.read(in, rows, block);
    return block;
  }

  /**
   * A block from its bytes: a new one, with room for as many rows as it has.
   *
   * <p>Memory is taken only for what the bytes prove: at most about 200 bytes for each of them.
   *
   * @param bytes hold one block, whole, and are not kept
   * @param offset where it starts
   * @param length its length, as {@link #encode} gave it
   * @throws BlockFormatException if the bytes are not one block of a release up to this one
   */
  public static Block decode(byte[] bytes, int offset, int length) {
    BlockInput in = new BlockInput(bytes, offset, length);
    int number = in.takeByte();
    for (BlockFamily<?> family : FAMILIES) {
      if (family.number() == number) {
        return family.read(in);
      }
    }
    throw in.broken("the unknown family " + number);
  }

  /**
   * As {@link #decode(byte[], int, int)}, into a block that its owner uses again: what it held is
   * replaced, joined columns and names too. After an exception its content means nothing.
   *
   * @throws BlockFormatException if the bytes are not one {@link FlowBlock}
   */
  static void decode(byte[] bytes, int offset, int length, FlowBlock into) {
    BlockInput in = new BlockInput(bytes, offset, length);
    int family = in.takeByte();
    if (family != FLOWS.number()) {
      throw in.broken("family " + family + " is not that of flows");
    }
    FLOWS.checkHead(in);
    int rows = FlowBlockFormat.readRows(in);
    into.rows(0);
    into.reserve(rows);
    FlowBlockFormat.read(in, rows, into);
  }
}
