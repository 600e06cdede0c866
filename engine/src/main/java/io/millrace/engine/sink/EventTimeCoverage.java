package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import java.util.List;

/**
 * Coverage by event time, for results that each have a time: those of a time that the watermark had
 * passed at the barrier, since no replay from there reproduces them. State: microseconds since the
 * epoch, as a {@link LongState}.
 */
record EventTimeCoverage<B extends Block>() implements Coverage<B, Long> {
  private static final LongState STATE = new LongState('E');

  @Override
  public Progress<B, Long> begin(List<byte[]> parts) {
    long min = parts.stream().mapToLong(STATE::decode).min().orElse(Long.MIN_VALUE);
    // Long.MAX_VALUE means that the input had ended, which is no time to continue from.
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
