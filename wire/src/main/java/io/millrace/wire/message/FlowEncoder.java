package io.millrace.wire.message;

import io.millrace.wire.block.FlowBlock;

/**
 * Encoder of rows of blocks as messages of one format. One thread owns an encoder: it calls {@link
 * #begin} for a block, then {@link #encode} for ranges of its rows, any number of times.
 */
public interface FlowEncoder extends AutoCloseable {
  /**
   * Begins a block; it is read, not changed.
   *
   * @param texts of the block's joined columns
   */
  void begin(FlowBlock block, JoinedTexts texts);

  /** Appends a message of the rows from {@code from} to {@code to}, exclusive. */
  void encode(int from, int to, MessageBuffer out);

  @Override
  default void close() {}
}
