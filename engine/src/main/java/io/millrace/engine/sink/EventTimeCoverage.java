package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import java.util.List;

/**
 * Coverage by event time, for results with a time: a checkpoint covers results whose time the
 * watermark had passed at the barrier, since a replay from there does not reproduce them. State:
 * microseconds since the epoch, as a {@link LongState}.
 */
record EventTimeCoverage<B extends Block>() implements Coverage<B, Long> {
  private static final LongState STATE = new LongState('E');

  @Override
  public Progress<B, Long> begin(List<byte[]> parts) {
    long min = parts.stream().mapToLong(STATE::decode).min().orElse(Long.MIN_VALUE);
    // Long.MAX_VALUE means that the input had ended; the job cannot continue from that.
    return new EventTimeProgress<>(min == Long.MAX_VALUE ? Long.MIN_VALUE : min);
  }

  private static final class EventTimeProgress<B> implements Progress<B, Long> {
    private long passed;

    EventTimeProgress(long restored) {
      passed = restored;
    }

    @Override
    public void appended(B block) {}

    @Override
    public void passed(long micros) {
      passed = Math.max(passed, micros);
    }

    @Override
    public Long rewind() {
      return passed;
    }

    @Override
    public Long at(long checkpointId) {
      return passed;
    }

    @Override
    public byte[] encode(Long covered) {
      return STATE.encode(covered);
    }
  }
}
