package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import io.millrace.wire.sink.BlockSink;
import java.util.List;

/**
 * Rows that a stateful step has made of many: such a row has no place in the log, and is covered by
 * the checkpoints whose barrier came behind it. A {@link BlockSink} {@linkplain BlockSink#seal
 * seals} its rows at each barrier and tags those that follow with its id; those in front of barrier
 * n have a tag below n, and a rewind to n takes away the tags from n on. Flink's ids grow within a
 * job and its restarts, also from one start on a checkpoint to the next.
 *
 * <p>A sink that is new in a job, or starts without a checkpoint, rewinds to {@code start}: all
 * rows go that the job can make again ({@link #NONE} for all of them), since the state from which
 * they were made is gone too.
 *
 * <p>State: the checkpoint's id, as a {@link LongState}.
 *
 * @param start what is covered without a checkpoint: {@link #NONE}, or {@link #before}
 */
public record CheckpointCoverage<B extends Block>(long start) implements Coverage<B, Long> {
  /** No checkpoint: they are counted from 1. */
  public static final long NONE = BlockSink.NO_CHECKPOINT;

  /** No checkpoint, and nothing is covered. */
  public CheckpointCoverage() {
    this(NONE);
  }

  /**
   * No checkpoint, and rows of before a time are covered: the log no longer holds what they were
   * made of.
   *
   * @param micros since the epoch, at least 1
   */
  public static long before(long micros) {
    return -micros;
  }

  private static final LongState STATE = new LongState('C');

  @Override
  public Progress<B, Long> begin(List<byte[]> parts) {
    long last = parts.isEmpty() ? start : NONE;
    for (byte[] part : parts) {
      last = Math.max(last, STATE.decode(part));
    }
    return new RestoredProgress<>(last);
  }

  private record RestoredProgress<B>(long checkpoint) implements Progress<B, Long> {
    @Override
    public void appended(B block) {}

    @Override
    public Long rewind() {
      return checkpoint;
    }

    @Override
    public Long at(long checkpointId) {
      return checkpointId;
    }

    @Override
    public byte[] encode(Long covered) {
      return STATE.encode(covered);
    }
  }
}
