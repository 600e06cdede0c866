package io.millrace.pipelines.apps;

import io.millrace.engine.source.LogSource;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.RawBatch;
import java.util.Optional;

/** Event time of values of packets: that of the last packet, and none that is still to come. */
final class PacketTimes implements LogSource.ValueTimes {
  private static final long serialVersionUID = 1L;
  private static final long MICROS = 1_000;

  @Override
  public long micros(RawBatch value) {
    Optional<PacketBlock> packets = PacketBlock.wrap(value.bytes(), value.length());
    return packets.isPresent() && packets.get().rows() > 0
        ? Math.min(
            packets.get().time(packets.get().rows() - 1), System.currentTimeMillis() * MICROS)
        : UNKNOWN;
  }
}
