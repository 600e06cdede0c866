package io.millrace.analytics.keyed;

import io.millrace.wire.block.Block;

/**
 * Keys of rows that a step counts in buckets of event time, if all subtasks must know the first
 * bucket of the stream. The keyed exchange announces each bucket to all receivers ({@link
 * KeyedState#hasBegun}) when a sender has its first counted row, before any later watermark of that
 * sender. Implementations are serialized with the job; each sender uses one instance in one thread.
 *
 * @param <B> type of block
 */
public interface BucketedKeys<B extends Block> extends RowKeys<B> {
  /** Length of a bucket in microseconds, above 0; buckets begin at multiples of it since 1970. */
  long bucketMicros();

  /**
   * Event times of the rows, in microseconds since 1970, indexed by row; at least as long as the
   * block has rows. Not a copy; must not be changed.
   */
  long[] times(B block);

  /** Whether the step counts the row (0 to the number of rows less 1) if it is not late. */
  boolean isCounted(B block, int row);

  /** A new block without rows, which carries an announcement. */
  B empty();
}
