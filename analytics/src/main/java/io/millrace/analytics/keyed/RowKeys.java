package io.millrace.analytics.keyed;

import io.millrace.wire.block.Block;
import java.io.Serializable;

/**
 * Partitioning of a block's rows: rows of one key are sent to one subtask, in the order of their
 * sender. {@link Hash} has hashes of numbers.
 *
 * @param <B> type of block
 */
@FunctionalInterface
public interface RowKeys<B extends Block> extends Serializable {
  /**
   * Writes the hash of each row's key to the start of {@code hashes}, which is large enough. Equal
   * keys have equal hashes, in every process and every release: the hash is part of the state.
   */
  void hashes(B block, int[] hashes);
}
