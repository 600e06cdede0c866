package io.millrace.wire.block;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Serialisation of blocks between processes, in checkpoints and in test files.
 *
 * <pre>
 *   0        1         2       4
 *   +--------+---------+-------+--------------------------------------------+
 *   | family | version | flags | 1: a {@link RawBatch}: partition (4 bytes), offset (8), its bytes
 *   |        |         |       | 2: a {@link FlowBlock}: see {@code FlowBlockFormat}
 *   |        |         |       | 3: a {@link TableBlock}: see {@code TableBlockFormat}
 *   |        |         |       | 5: a {@link PacketBlock}: its bytes
 *   +--------+---------+-------+--------------------------------------------+
 * </pre>
 *
 * All numbers are little-endian; flags are reserved and 0. A family's version changes only when an
 * older reader cannot read the bytes; new columns need no new version. All released versions stay
 * readable.
 *
 * <p>Stateless: any thread may call it with a buffer and a block that it owns.
 */
public final class BlockCodec {
  private static final BlockFamily<RawBatch> RAW =
      new BlockFamily<>(1, "raw-batch", RawBatch.class, BlockCodec::write, BlockCodec::readRaw);

  private static final BlockFamily<FlowBlock> FLOWS =
      new BlockFamily<>(
          2, "flow-block", FlowBlock.class, FlowBlockFormat::write, BlockCodec::readFlows);

  private static final BlockFamily<FlowBlock> FLOWS_WITHOUT_ROWS =
      new BlockFamily<>(
          FLOWS.number(),
          FLOWS.name(),
          FlowBlock.class,
          FlowBlockFormat::writeWithoutRows,
          BlockCodec::readFlows);

  private static final List<BlockFamily<?>> FAMILIES =
      List.of(RAW, FLOWS, TableBlockFormat.FAMILY, PacketBlock.FAMILY);

  private BlockCodec() {}

  /**
   * Appends a block to the buffer.
   *
   * @return number of bytes appended
   * @throws IllegalArgumentException if the block's class has no family
   */
  public static int encode(Block block, BlockBuffer out) {
    int start = out.length();
    for (BlockFamily<?> family : FAMILIES) {
      if (family.type() == block.getClass()) {
        family.write(block, out);
        return out.length() - start;
      }
    }
    throw new IllegalArgumentException(
        "no serialisation for blocks of " + block.getClass().getName());
  }

  /**
   * Appends a block of flows without its rows: its place in the log, names and counters.
   *
   * @return number of bytes appended
   */
  public static int encodeWithoutRows(FlowBlock block, BlockBuffer out) {
    int start = out.length();
    FLOWS_WITHOUT_ROWS.write(block, out);
    return out.length() - start;
  }

  /** Family of a class; empty if unknown to this release. */
  @SuppressWarnings("unchecked") // each class has one family
  public static <B extends Block> Optional<BlockFamily<B>> family(Class<B> type) {
    return FAMILIES.stream()
        .filter(each -> each.type() == type)
        .map(each -> (BlockFamily<B>) each)
        .findFirst();
  }

  /** Family of a name; empty if unknown to this release. */
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
   * Decodes a new block with the capacity of its rows.
   *
   * <p>Allocates at most about 200 bytes for each byte of input.
   *
   * @param bytes hold exactly one block; not kept
   * @param offset where it starts
   * @param length its length, as returned by {@link #encode}
   * @throws BlockFormatException if the bytes are malformed or of a newer release
   */
  public static Block decode(byte[] bytes, int offset, int length) {
    BlockInput in = new BlockInput(bytes, offset, length);
    int number = in.takeByte();
    for (BlockFamily<?> family : FAMILIES) {
      if (family.number() == number) {
        return family.read(in);
      }
    }
    throw in.broken("unknown family " + number);
  }

  /**
   * Decodes into a reused block. Replaces its content, including joined columns and names; it is
   * undefined after an exception.
   *
   * @throws BlockFormatException if the bytes are not one {@link FlowBlock}
   */
  static void decode(byte[] bytes, int offset, int length, FlowBlock into) {
    BlockInput in = new BlockInput(bytes, offset, length);
    int family = in.takeByte();
    if (family != FLOWS.number()) {
      throw in.broken("family " + family + ", expected flows");
    }
    FLOWS.checkHead(in);
    int rows = FlowBlockFormat.readRows(in);
    into.rows(0);
    into.reserve(rows);
    FlowBlockFormat.read(in, rows, into);
  }
}
