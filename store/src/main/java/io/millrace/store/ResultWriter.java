package io.millrace.store;

import io.millrace.wire.block.TableBlock;

/**
 * Appends rows to one {@link ResultTable}. Used by one thread at a time. Rows become durable and
 * visible when they are flushed.
 */
public interface ResultWriter extends AutoCloseable {
  /**
   * Takes the rows of a block; it may be changed afterwards.
   *
   * @param block has the table's {@link ResultTable#schema()}
   * @param checkpoint id of the last checkpoint that has passed the writer; {@link
   *     ResultTable#NO_CHECKPOINT} before the first
   * @throws WrongSchemaException if the block has other columns
   * @throws StoreException if the store fails; rows since the last flush are gone then
   */
  void append(TableBlock block, long checkpoint);

  /**
   * Makes all rows appended so far durable and visible; returns when they are.
   *
   * @throws FencedException if the table was rewound since; the rows are gone
   * @throws StoreException as {@link #append}
   */
  void flush();

  /** Releases what the writer holds; rows that were not flushed are gone. */
  @Override
  void close();
}
