package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockInput;

/**
 * Marks the family and version of a saved state that otherwise begins with a count of rows or keys.
 * Its 32 bits are negative as an {@code int}, which no count is, so a state that begins with a
 * count is read as one of the first format, which had no head.
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
   * Reads the head if the state begins with one; takes nothing otherwise.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the head names another version or family
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
