package io.millrace.analytics.keyed;

import io.millrace.wire.block.Block;
import java.io.Serializable;

/**
 * By what the rows of a block are dealt out: rows of one key come to one subtask, in the order of
 * their sender. {@link Hash} makes hashes of numbers.
 *
 * @param <B> the kind of block
 */
@FunctionalInterface
public interface RowKeys<B extends Block> extends Serializable {
  /**
   * Writes the hash of each row's key to the front of {@code hashes}, which has room for them.
   * Equal keys have equal hashes, in every process and every release: the hash is part of the
   * state.
   */
  void hashes(B block, int[] hashes);
}
