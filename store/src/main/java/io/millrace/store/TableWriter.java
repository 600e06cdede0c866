package io.millrace.store;

import io.millrace.wire.block.Block;

/**
 * Appends rows to one table. Used by one thread at a time.
 *
 * @param <B> blocks of the table's rows
 */
public interface TableWriter<B extends Block> extends AutoCloseable {
  /**
   * Takes the rows of a block, and its new names; the block may be changed afterwards. Waits while
   * more rows are on their way than the store has room for.
   *
   * @throws WrongSchemaException if the block has columns that the table has not
   * @throws StoreException if the store fails, also at work that it took on earlier; rows since the
   *     last commit are gone then, and the job must start from its last checkpoint
   */
  void append(B block);

  /**
   * A checkpoint has passed, behind a {@link #flush}: it does not cover the rows that are appended
   * from now on. Of no effect where rows are known by their place in the log.
   */
  default void passed(long checkpoint) {}

  /**
   * Makes all rows appended so far visible, and safe from the end of the process; returns when they
   * are.
   *
   * @throws FencedException if the table was rewound since; the rows are gone
   * @throws StoreException as {@link #append}
   */
  void flush();

  /** Releases what the writer holds; rows that were not flushed may be lost. */
  @Override
  void close();
}
