package io.millrace.analytics.packets;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaderParser;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.packet.PacketRejects;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Converts packets to unsampled flows of one packet each, for all consumers of flows. Time is the
 * capture time, bytes are those on the wire including the link layer, and the ingress interface is
 * that of the capture. Non-IP packets are dropped and counted by reason ({@link
 * PacketReject#OF_HEADERS}). Packets from the future are dropped and counted too, since they would
 * open epochs that do not end.
 */
public final class PacketFlows implements Analyzer<PacketBlock, FlowBlock> {
  /** Counter: packets with a capture time in the future. */
  public static final String FROM_FUTURE = "fromFuture";

  private static final long AHEAD_MICROS = 60_000_000;

  private final PacketHeaderParser parser;
  private final LongSupplier clock;
  private final PacketRejects rejects = new PacketRejects();
  private RejectCounters counters;
  private AnalyzerContext.Counter fromFuture;

  /**
   * An unopened analyzer.
   *
   * @param layer IP layer of addresses, protocol and ports
   * @param clock microseconds since the epoch
   */
  public PacketFlows(IpLayer layer, LongSupplier clock) {
    parser = new PacketHeaderParser(layer);
    this.clock = clock;
  }

  @Override
  public void open(AnalyzerContext context) {
    counters = new RejectCounters(context, rejects, PacketReject.OF_HEADERS);
    fromFuture = context.counter(FROM_FUTURE);
  }

  @Override
  public void process(PacketBlock packets, Emitter<FlowBlock> out) {
    for (int from = 0; from < packets.rows(); from += FlowBlock.MANY_ROWS) {
      int to = Math.min(packets.rows(), from + FlowBlock.MANY_ROWS);
      FlowBlock flows = flows(packets, from, to);
      if (flows.rows() > 0) {
        out.emit(flows);
      }
    }
    counters.update();
  }

  private FlowBlock flows(PacketBlock packets, int from, int to) {
    FlowBlock flows = ofCaptures(to - from);
    long[] times = flows.longs(FlowColumn.TIME);
    long[] bytes = flows.longs(FlowColumn.BYTES);
    int[] interfaces = flows.ints(FlowColumn.IN_IF);
    long latest = clock.getAsLong() + AHEAD_MICROS;
    int later = 0;
    int row = 0;
    for (int packet = from; packet < to; packet++) {
      if (packets.time(packet) > latest) {
        later++;
        continue;
      }
      int start = packets.start(packet);
      long wire = packets.wireLength(packet);
      if (parser.parse(
          LinkType.of(packets.linkNumber(packet)),
          packets.bytes(),
          start,
          packets.end(packet) - start,
          (int) Math.min(wire, Integer.MAX_VALUE),
          flows,
          row)) {
        times[row] = packets.time(packet);
        bytes[row] = wire;
        interfaces[row] = packets.interfaceNumber(packet);
        flows.logIndex()[row] = packet;
        row++;
      }
      if (parser.headers().reject() != null) {
        rejects.add(parser.headers().reject());
      }
    }
    flows.rows(row);
    fromFuture.add(later);
    return flows;
  }

  private static FlowBlock ofCaptures(int capacity) {
    FlowBlock flows = new FlowBlock(capacity);
    Arrays.fill(flows.addressHigh(FlowColumn.EXPORTER), Addresses.NULL);
    Arrays.fill(flows.addressLow(FlowColumn.EXPORTER), Addresses.NULL);
    Arrays.fill(flows.longs(FlowColumn.PACKETS), 1);
    Arrays.fill(flows.ints(FlowColumn.SAMPLING_RATE), 1);
    Arrays.fill(flows.ints(FlowColumn.DST_VLAN), FlowBlock.NULL);
    Arrays.fill(flows.ints(FlowColumn.OUT_IF), FlowBlock.NULL);
    Arrays.fill(flows.ints(FlowColumn.OUT_IF_FORMAT), FlowBlock.NULL);
    return flows;
  }
}
