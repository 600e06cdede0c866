package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import io.millrace.wire.sink.BlockSink;
import java.util.List;

/**
 * Coverage by checkpoint, for rows that a stateful step derives from many: such a row has no
 * position in the log, and is covered by the checkpoints whose barrier follows it. A {@link
 * BlockSink} {@linkplain BlockSink#seal seals} its rows at each barrier and tags the following ones
 * with its id. Rows before barrier n have a tag less than n, and a rewind to n deletes the tags
 * from n on. Flink's ids grow within a job and its restarts, also from one start on a checkpoint to
 * the next.
 *
 * <p>A sink that is new in a job, or starts without a checkpoint, rewinds to {@code start}: all
 * rows that the job can reproduce are deleted ({@link #NONE} for all of them), since the state from
 * which they were made is lost too.
 *
 * <p>State: the checkpoint's id, as a {@link LongState}.
 *
 * @param start what is covered without a checkpoint: {@link #NONE}, or {@link #before}
 */
public record CheckpointCoverage<B extends Block>(long start) implements Coverage<B, Long> {
  /** No checkpoint: ids start at 1. */
  public static final long NONE = BlockSink.NO_CHECKPOINT;

  /** Coverage of nothing without a checkpoint. */
  public CheckpointCoverage() {
    this(NONE);
  }

  /**
   * Covers the rows before a time without a checkpoint: the log no longer holds their input.
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
