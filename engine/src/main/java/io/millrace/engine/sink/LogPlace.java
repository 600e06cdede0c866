package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import java.io.Serializable;

/**
 * Where in the log a block comes from: all rows of a block come from one value.
 *
 * @param <B> the kind of block
 */
public interface LogPlace<B extends Block> extends Serializable {
  /** Of flows. */
  LogPlace<FlowBlock> FLOWS = of(FlowBlock::logPartition, FlowBlock::logOffset);

  /** Of raw batches. */
  LogPlace<RawBatch> RAW = of(RawBatch::partition, RawBatch::offset);

  /** Partition of the log. */
  int partition(B block);

  /** Offset in the partition. */
  long offset(B block);

  /** A place made of two functions. */
  static <B extends Block> LogPlace<B> of(PartitionOf<B> partition, OffsetOf<B> offset) {
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
    };
  }

  /** A block's partition. */
  @FunctionalInterface
  interface PartitionOf<B> extends Serializable {
    /** Partition of the log. */
    int of(B block);
  }

  /** A block's offset. */
  @FunctionalInterface
  interface OffsetOf<B> extends Serializable {
    /** Offset in the partition. */
    long of(B block);
  }
}
