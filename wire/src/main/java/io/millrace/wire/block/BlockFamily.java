package io.millrace.wire.block;

import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A type of block, and its format after the header of {@link BlockCodec}.
 *
 * @param number in the format, 1 to 255; must never change
 * @param name in snapshots of jobs; must never change
 * @param type class of the blocks
 * @param writer appends a block
 * @param reader reads a new block; throws {@link BlockFormatException} if the bytes are malformed
 */
public record BlockFamily<B extends Block>(
    int number,
    String name,
    Class<B> type,
    BiConsumer<B, BlockBuffer> writer,
    Function<BlockInput, B> reader) {

  private static final int VERSION = 1;

  void write(Block block, BlockBuffer out) {
    out.putByte(number);
    out.putByte(VERSION);
    out.putShort(0);
    writer.accept(type.cast(block), out);
  }

  B read(BlockInput in) {
    checkHead(in);
    return reader.apply(in);
  }

  void checkHead(BlockInput in) {
    int version = in.takeByte();
    int flags = in.takeShort();
    if (version != VERSION || flags != 0) {
      throw in.broken(
          "family "
              + number
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
