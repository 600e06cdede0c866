package io.millrace.analytics.packets;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.RawBatch;
import java.util.Optional;

/**
 * Values of the log to packets, whose bytes are not copied. What holds no packets is counted and
 * set aside.
 */
public final class PacketDecoding implements Analyzer<RawBatch, PacketBlock> {
  /** Counter: values that are not packets. */
  public static final String WRONG = "wrongValues";

  private AnalyzerContext.Counter wrong;

  /** An analyzer that is not opened. */
  public PacketDecoding() {}

  @Override
  public void open(AnalyzerContext context) {
    wrong = context.counter(WRONG);
  }

  @Override
  public void process(RawBatch value, Emitter<PacketBlock> out) {
    Optional<PacketBlock> packets = PacketBlock.wrap(value.bytes(), value.length());
    if (packets.isPresent()) {
      out.emit(packets.get());
    } else {
      wrong.add(1);
      out.reject(value);
    }
  }
}
