package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import java.io.Serializable;

/**
 * Where in the log a block comes from: all rows of a block come from one value.
 *
 * <p>A step that makes rows of several values gives them the place of the value that it works on
 * when it emits them, the <em>last</em> one that went into them. Then whatever is emitted before a
 * checkpoint's barrier lies in front of the source's offsets in that checkpoint, and whatever is
 * emitted behind it does not, in each partition for itself; that is all a rewind needs. With the
 * place of an earlier value, or of a value seen before where a clock makes the step emit, a row
 * behind the barrier would pass for one in front of it: the rewind leaves it, and the replay
 * doubles it. Sources that count their offsets apart, as two topics do, need partition numbers of
 * their own.
 *
 * @param <B> the kind of block
 */
public interface LogPlace<B extends Block> extends Serializable {
  /** Of flows. */
  LogPlace<FlowBlock> FLOWS =
      of(
          FlowBlock::logPartition,
          FlowBlock::logOffset,
          block -> block.rows() == 0 ? 0 : block.logIndex()[0]);

  /** Of raw batches. */
  LogPlace<RawBatch> RAW = of(RawBatch::partition, RawBatch::offset);

  /** Partition of the log. */
  int partition(B block);

  /** Offset in the partition. */
  long offset(B block);

  /** Tells the blocks of one value apart: the first row's number among all rows of the value. */
  int index(B block);

  /** A place of values that give one block each. */
  static <B extends Block> LogPlace<B> of(PartitionOf<B> partition, OffsetOf<B> offset) {
    return of(partition, offset, block -> 0);
  }

  /** A place made of three functions. */
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
