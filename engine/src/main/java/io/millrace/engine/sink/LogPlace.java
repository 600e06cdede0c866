package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import java.io.Serializable;

/**
 * Position of a block in the log: all rows of a block come from one value.
 *
 * <p>A step that derives rows from several values assigns them the position of the <em>last</em>
 * value, which it processes when it emits them. Then, in each partition, exactly the rows emitted
 * before a checkpoint's barrier have positions before the source's offsets in that checkpoint, as a
 * rewind requires. A row with the position of an earlier value, such as one emitted by the clock
 * after the barrier, would count as covered: the rewind keeps it and the replay duplicates it.
 * Sources with separate offsets, such as two topics, need separate partition numbers.
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

  int partition(B block);

  long offset(B block);

  /**
   * Number of the block's first row among all rows of the value; distinguishes the blocks of one
   * value.
   */
  int index(B block);

  /** Position of blocks that each come from a whole value. */
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

  @FunctionalInterface
  interface PartitionOf<B> extends Serializable {
    int of(B block);
  }

  @FunctionalInterface
  interface IndexOf<B> extends Serializable {
    /** Number of the row in its value, from 0. */
    int of(B block);
  }

  @FunctionalInterface
  interface OffsetOf<B> extends Serializable {
    long of(B block);
  }
}
