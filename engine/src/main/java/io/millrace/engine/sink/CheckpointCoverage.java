package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import io.millrace.wire.sink.BlockSink;
import java.util.List;

/**
 * Coverage by checkpoint, for rows that a stateful step derives from many others. Such a row has no
 * position in the log; a checkpoint covers it if the barrier follows the row. A {@link BlockSink}
 * {@linkplain BlockSink#seal seals} its rows at each barrier and tags later ones with the
 * checkpoint's id. So rows before barrier n have tags less than n, and a rewind to n deletes all
 * rows with tags from n on. Flink's ids increase within a job, over its restarts, and over starts
 * from a checkpoint.
 *
 * <p>A sink that is new in a job, or starts without a checkpoint, rewinds to {@code start}: this
 * deletes all rows that the job can reproduce ({@link #NONE}: all rows), since the state that
 * produced them is lost.
 *
 * <p>State: the checkpoint's id as a {@link LongState}.
 *
 * @param start what is covered without a checkpoint: {@link #NONE}, or {@link #before}
 */
public record CheckpointCoverage<B extends Block>(long start) implements Coverage<B, Long> {
  /** No checkpoint: ids start at 1. */
  public static final long NONE = BlockSink.NO_CHECKPOINT;

  public CheckpointCoverage() {
    this(NONE);
  }

  /**
   * {@code start} that covers the rows before a time, whose input the log no longer holds.
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
