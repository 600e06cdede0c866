package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import java.util.List;

/**
 * Results that each have a time: a checkpoint covers those of a time that event time had passed at
 * its barrier, for no replay from there makes one of them. Of those of a later time some are
 * covered too, and nobody can tell which.
 *
 * <p>State: microseconds since the epoch, as a {@link LongState}.
 */
record EventTimeCoverage<B extends Block>() implements Coverage<B, Long> {
  private static final LongState STATE = new LongState('E');

  @Override
  public Progress<B, Long> begin(List<byte[]> parts) {
    long least = parts.stream().mapToLong(STATE::decode).min().orElse(Long.MIN_VALUE);
    // Long.MAX_VALUE means that the input had ended, which is no time to go on from.
    return new EventTimeProgress<>(least == Long.MAX_VALUE ? Long.MIN_VALUE : least);
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
