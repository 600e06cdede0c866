package io.millrace.engine.sink;

import io.millrace.engine.UnmendableException;
import io.millrace.wire.block.Block;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Results that each have a time: a checkpoint covers those of a time that event time had passed at
 * its barrier, for no replay from there makes one of them. Of those of a later time some are
 * covered too, and nobody can tell which.
 *
 * <p>State, big-endian: {@code 'E'}, version, 2 bytes of flags, microseconds since the epoch in 8.
 */
record EventTimeCoverage<B extends Block>() implements Coverage<B, Long> {
  private static final byte FAMILY = 'E';
  private static final byte VERSION = 1;
  private static final int LENGTH = 12;
  private static final int TIME_OFFSET = 4;

  @Override
  public Progress<B, Long> begin(List<byte[]> parts) {
    long least = parts.stream().mapToLong(EventTimeCoverage::decode).min().orElse(Long.MIN_VALUE);
    // The end of an input is no time to go on from.
    return new Passed<>(least == Long.MAX_VALUE ? Long.MIN_VALUE : least);
  }

  private static long decode(byte[] state) {
    if (state.length != LENGTH || state[0] != FAMILY || state[1] != VERSION) {
      throw new UnmendableException(
          "the sink's state in the checkpoint is not of this release: use the newer one that wrote"
              + " it");
    }
    return ByteBuffer.wrap(state).getLong(TIME_OFFSET);
  }

  private static final class Passed<B> implements Progress<B, Long> {
    private long passed;

    Passed(long restored) {
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
      return ByteBuffer.allocate(LENGTH)
          .put(FAMILY)
          .put(VERSION)
          .putShort((short) 0)
          .putLong(covered)
          .array();
    }
  }
}
