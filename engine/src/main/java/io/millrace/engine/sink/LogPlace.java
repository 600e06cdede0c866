package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import java.io.Serializable;

/**
 * Position of a block in the log: all rows of a block come from one value.
 *
 * <p>A step that derives rows from several values assigns them the position of the value that it
 * processes when it emits them, the <em>last</em> one. Then all rows emitted before a checkpoint's
 * barrier are before the source's offsets in that checkpoint, and all later ones are not, per
 * partition; a rewind needs no more. With the position of an earlier value, as when a clock makes
 * the step emit, a row after the barrier would count as one before it: the rewind keeps it, and the
 * replay doubles it. Sources with separate offsets, such as two topics, need separate partition
 * numbers.
 *
 * @param <B> the kind of block
 */
public interface LogPlace<B extends Block> extends Serializable {
  /** Position of flows. */
  LogPlace<FlowBlock> FLOWS =
      of(
          FlowBlock::logPartition,
          FlowBlock::logOffset,
          block -> block.rows() == 0 ? 0 : block.logIndex()[0]);

  /** Position of raw batches. */
  LogPlace<RawBatch> RAW = of(RawBatch::partition, RawBatch::offset);

  /** Partition of the log. */
  int partition(B block);

  /** Offset in the partition. */
  long offset(B block);

  /** Distinguishes the blocks of one value: the first row's number among all rows of the value. */
  int index(B block);

  /** A place of values that give one block each. */
  static <B extends Block> LogPlace<B> of(PartitionOf<B> partition, OffsetOf<B> offset) {
    return of(partition, offset, block -> 0);
  }

  /** A position made of three functions. */
  static <B extends Block> LogPlace<B> of(
      PartitionOf<B> partition, OffsetOf<B> offset, IndexOf<B> index) {
    return new LogPlace<>() {
      private static final long serialVersionUID = 1L;

      @Override
      public int partition(B block) {
        return partition.of(block);
      }

      @Override
      public long offset(B block) {
        return offset.of(block);
      }

      @Override
      public int index(B block) {
        return index.of(block);
      }
    };
  }

  /** A block's partition. */
  @FunctionalInterface
  interface PartitionOf<B> extends Serializable {
    /** Partition of the log. */
    int of(B block);
  }

  /** A block's first row. */
  @FunctionalInterface
  interface IndexOf<B> extends Serializable {
    /** Number of the row in its value, from 0. */
    int of(B block);
  }

  /** A block's offset. */
  @FunctionalInterface
  interface OffsetOf<B> extends Serializable {
    /** Offset in the partition. */
    long of(B block);
  }
}
