package io.millrace.analytics.packets;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.RawBatch;
import java.util.Optional;

/**
 * Decodes log values to packets, without copying their bytes. Values without packets are counted
 * and rejected.
 */
public final class PacketDecoding implements Analyzer<RawBatch, PacketBlock> {
  /** Counter: values that are not packets. */
  public static final String INVALID = "invalidValues";

  private AnalyzerContext.Counter invalid;

  /** An unopened analyzer. */
  public PacketDecoding() {}

  @Override
  public void open(AnalyzerContext context) {
    invalid = context.counter(INVALID);
  }

  @Override
  public void process(RawBatch value, Emitter<PacketBlock> out) {
    Optional<PacketBlock> packets = PacketBlock.wrap(value.bytes(), value.length());
    if (packets.isPresent()) {
      out.emit(packets.get());
    } else {
      invalid.add(1);
      out.reject(value);
    }
  }
}
