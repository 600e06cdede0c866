package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockInput;

/**
 * Family and version of a saved state.
 *
 * @param family identifies the analyzer's state; an ASCII letter
 * @param version 1 to 255
 * @param what name of the state in messages
 */
public record StateHead(char family, int version, String what) {
  private static final int FLAGS = 0x8000;

  /** Header for {@link StateSnapshot#withHeader}. */
  public int bits() {
    return FLAGS << 16 | family << 8 | version;
  }

  /**
   * Reads the header.
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
          "%s of version %d, expected version %d".formatted(what, head & 0xFF, version));
    }
  }
}
