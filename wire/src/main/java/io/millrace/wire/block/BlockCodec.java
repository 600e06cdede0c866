package io.millrace.wire.block;

import java.util.Arrays;

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
  private static final int RAW_BATCH = 1;
  private static final int FLOW_BLOCK = 2;
  private static final int TABLE_BLOCK = 3;
  private static final int GATEWAY_BLOCK = 4;
  private static final int VERSION = 1;

  private BlockCodec() {}

  /**
   * Appends a block to the buffer.
   *
   * @return number of bytes appended
   * @throws IllegalArgumentException if the block is of a class that has no bytes
   */
  public static int encode(Block block, BlockBuffer out) {
    int start = out.length();
    if (block instanceof FlowBlock flows) {
      header(FLOW_BLOCK, out);
      FlowBlockFormat.write(flows, out);
    } else if (block instanceof TableBlock table) {
      header(TABLE_BLOCK, out);
      TableBlockFormat.write(table, out);
    } else if (block instanceof GatewayBlock gateways) {
      header(GATEWAY_BLOCK, out);
      gateways.write(out);
    } else if (block instanceof RawBatch batch) {
      header(RAW_BATCH, out);
      out.putInt(batch.partition());
      out.putLong(batch.offset());
      out.put(batch.bytes(), 0, batch.length());
    } else {
      throw new IllegalArgumentException("no bytes for blocks of " + block.getClass().getName());
    }
    return out.length() - start;
  }

  private static void header(int family, BlockBuffer out) {
    out.putByte(family);
    out.putByte(VERSION);
    out.putShort(0);
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
    int family = in.takeByte();
    checkVersion(in, family);
    switch (family) {
      case RAW_BATCH -> {
        int partition = in.takeInt();
        long logOffset = in.takeLong();
        int size = in.remaining();
        int start = in.take(size);
        return RawBatch.wrap(Arrays.copyOfRange(bytes, start, start + size), partition, logOffset);
      }
      case FLOW_BLOCK -> {
        int rows = FlowBlockFormat.readRows(in);
        FlowBlock block = new FlowBlock(rows);
        FlowBlockFormat.read(in, rows, block);
        return block;
      }
      case TABLE_BLOCK -> {
        return TableBlockFormat.read(in);
      }
      case GATEWAY_BLOCK -> {
        return GatewayBlock.read(in);
      }
      default -> throw in.broken("the unknown family " + family);
    }
  }

  /**
   * As {@link #decode(byte[], int, int)}, into a block that its owner uses again: what it held is
   * replaced, joined columns and names too. After an exception its content means nothing.
   *
   * @throws BlockFormatException if the bytes are not one {@link FlowBlock}
   */
  public static void decode(byte[] bytes, int offset, int length, FlowBlock into) {
    BlockInput in = new BlockInput(bytes, offset, length);
    int family = in.takeByte();
    if (family != FLOW_BLOCK) {
      throw in.broken("family " + family + " is not that of flows");
    }
    checkVersion(in, family);
    int rows = FlowBlockFormat.readRows(in);
    into.rows(0);
    into.reserve(rows);
    FlowBlockFormat.read(in, rows, into);
  }

  private static void checkVersion(BlockInput in, int family) {
    int version = in.takeByte();
    int flags = in.takeShort();
    if (version != VERSION || flags != 0) {
      throw in.broken(
          "family "
              + family
              + " version "
              + version
              + " flags "
              + flags
              + ", this release reads version "
              + VERSION
              + " without flags");
    }
  }
}
