package io.millrace.analytics.keyed;

import io.millrace.wire.block.Block;

/**
 * Keys of rows that a step counts in buckets of event time, if all its subtasks must know in which
 * bucket the rows of the whole stream began. The keyed exchange announces each bucket of a sender's
 * rows to all receivers ({@link KeyedState#hasBegun}), at the place of its first row: before any
 * later watermark of that sender.
 *
 * @param <B> the kind of block
 */
public interface BucketedKeys<B extends Block> extends RowKeys<B> {
  /** Length of a bucket in microseconds, above 0; a bucket begins at each multiple. */
  long bucketMicros();

  /** Event times of the rows, in microseconds since the epoch; not a copy. */
  long[] times(B block);

  /** Whether the step counts the row if it is not late. */
  boolean isCounted(B block, int row);

  /** A block without rows, to carry an announcement. */
  B empty();
}
