package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockInput;

/**
 * What stands in front of a state that begins with a number of rows or keys: flags, family and
 * version, in 32 bits that are none of these numbers. Without it, state is of before there was one.
 *
 * @param family tells the states of analyzers apart; an ASCII letter
 * @param version 1 to 255
 * @param what the state is, for messages
 */
public record StateHead(char family, int version, String what) {
  private static final int FLAGS = 0x8000;

  /** For {@link StateSnapshot#behind}. */
  public int bits() {
    return FLAGS << 16 | family << 8 | version;
  }

  /**
   * Takes it, if it is there.
   *
   * @throws io.millrace.wire.block.BlockFormatException if it is that of another version
   */
  public void take(BlockInput in) {
    int next = in.nextInt();
    if (next >>> 16 != FLAGS) {
      return;
    }
    if (next != bits()) {
      throw in.broken(
          "%s of version %d, this release reads %d".formatted(what, next & 0xFF, version));
    }
    var unused = in.takeInt();
  }
}
