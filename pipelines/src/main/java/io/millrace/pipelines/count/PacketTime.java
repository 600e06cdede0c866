package io.millrace.pipelines.count;

import io.millrace.engine.source.LogSource;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.RawBatch;
import java.util.Optional;

/**
 * Event time of a block of packets: the capture time of the newest packet, but not later than
 * arrival, so that a packet from the future does not make all others late.
 */
final class PacketTime implements LogSource.ValueTimes {
  private static final long serialVersionUID = 1L;

  @Override
  public long micros(RawBatch value) {
    Optional<PacketBlock> packets = PacketBlock.wrap(value.bytes(), value.length());
    long newest = UNKNOWN;
    if (packets.isPresent()) {
      for (int row = 0; row < packets.get().rows(); row++) {
        newest = Math.max(newest, packets.get().time(row));
      }
    }
    return newest;
  }

  @Override
  public long micros(RawBatch value, long logged) {
    return Math.min(micros(value), logged);
  }
}
