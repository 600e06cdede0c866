package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockInput;

/**
 * Marks the family and version of a saved state.
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
   * Reads the head.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the state is of another family or
   *     version
   */
  public void take(BlockInput in) {
    int head = in.takeInt();
    if (head >>> Byte.SIZE != bits() >>> Byte.SIZE) {
      throw in.broken("not a " + what);
    }
    if (head != bits()) {
      throw in.broken(
          "%s of version %d, this release reads %d".formatted(what, head & 0xFF, version));
    }
  }
}
