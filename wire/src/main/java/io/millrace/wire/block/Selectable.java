package io.millrace.wire.block;

/**
 * A block whose rows can be dealt out to several receivers.
 *
 * @param <B> the block itself
 */
public interface Selectable<B extends Block> extends Block {
  /**
   * A new block of some of the rows, in the order given; this one is not changed.
   *
   * @param rows numbers of rows, each from 0 to {@link #rows()}{@code - 1}
   * @param count how many entries of {@code rows} are meant, from the first on
   */
  B select(int[] rows, int count);
}
