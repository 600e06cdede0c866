package io.millrace.wire.block;

/**
 * A block whose rows can be distributed to several receivers.
 *
 * @param <B> type of the block
 */
public interface Selectable<B extends Block> extends Block {
  /**
   * A new block with some of the rows, in the given order; this one is not changed.
   *
   * @param rows numbers of rows, each from 0 to {@link #rows()}{@code - 1}
   * @param count number of entries of {@code rows}
   */
  B select(int[] rows, int count);
}
