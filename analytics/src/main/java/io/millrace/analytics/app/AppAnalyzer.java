package io.millrace.analytics.app;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.Output;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import java.util.Arrays;
import java.util.List;

/**
 * From packets, dealt out by {@link PacketEnds}, to rows of finished flows ({@link AppRows#FLOWS})
 * and, at the output {@link #SUMS}, to sums by minute and application ({@link AppRows#APPS}). Both
 * come behind each block of packets, so that nothing but open flows is state.
 *
 * <p>A flow with packets that are in no sum yet is one whose application is not known yet. Names
 * that addresses were answers for are not state: behind a failure they are learned anew.
 */
public final class AppAnalyzer implements KeyedAnalyzer<PacketBlock, TableBlock> {
  /** Sums by minute and application. */
  public static final Output<TableBlock> SUMS = Output.ofTable("sums");

  /** Counter: packets. */
  public static final String PACKETS = "packets";

  /** Counter: packets that are not IP. */
  public static final String NOT_IP = "notIp";

  /** Counter: packets whose headers are cut or wrong. */
  public static final String MALFORMED = "malformed";

  /** Counter: flows that went for want of room. */
  public static final String EVICTED = "evictedFlows";

  /** Gauge: flows that are open. */
  public static final String OPEN = "openFlows";

  private static final int VERSION = 1;

  private final FlowTableConfig config;
  private final IpLayer layer;
  private final AppNames names;
  private final AppRows rows = new AppRows();
  private AppTracker tracker;
  private KeyGroups groups;
  private AnalyzerContext.Counter packets;
  private AnalyzerContext.Counter notIp;
  private AnalyzerContext.Counter malformed;
  private AnalyzerContext.Counter evicted;

  /**
   * An analyzer that is not opened.
   *
   * @param layer whose flows they are where packets come in tunnels
   */
  public AppAnalyzer(FlowTableConfig config, IpLayer layer, AppNames names) {
    this.config = config;
    this.layer = layer;
    this.names = names;
  }

  @Override
  public void open(AnalyzerContext context) {
    groups = context.keyGroups();
    packets = context.counter(PACKETS);
    notIp = context.counter(NOT_IP);
    malformed = context.counter(MALFORMED);
    evicted = context.counter(EVICTED);
    tracker = new AppTracker(config, layer, new BuiltInClassifier(names), rows::count, this::over);
    context.gauge(OPEN, tracker::openFlows);
  }

  private void over(AppFlow flow) {
    rows.count(flow);
    rows.add(flow);
    flow.countedPackets = 0; // what lasts is told and counted in parts
    flow.countedBytes = 0;
  }

  @Override
  public List<Output<?>> outputs() {
    return List.of(SUMS);
  }

  @Override
  public void process(PacketBlock block, Emitter<TableBlock> out) {
    long notIpBefore = tracker.notIp();
    long malformedBefore = tracker.malformed();
    long evictedBefore = tracker.evicted();
    byte[] bytes = block.bytes();
    for (int row = 0; row < block.rows(); row++) {
      int start = block.start(row);
      LinkType link = LinkType.of(block.linkNumber(row));
      tracker.packet(block.time(row), link, bytes, start, block.end(row) - start);
    }
    packets.add(block.rows());
    notIp.add(tracker.notIp() - notIpBefore);
    malformed.add(tracker.malformed() - malformedBefore);
    evicted.add(tracker.evicted() - evictedBefore);
    tell(out);
  }

  private void tell(Emitter<TableBlock> out) {
    TableBlock flows = rows.takeFlows();
    if (flows.rows() > 0) {
      out.emit(flows);
    }
    TableBlock sums = rows.takeSums();
    if (sums.rows() > 0) {
      out.emit(SUMS, sums);
    }
  }

  /** Time is that of the packets; behind the last of them all flows are over. */
  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    if (micros == Long.MAX_VALUE) {
      tracker.endAll();
      tell(out);
    }
  }

  /** Flows by the group of their addresses, written at once: they go on to change. */
  @Override
  public StateSnapshot snapshot() {
    BlockBuffer[] byGroup = new BlockBuffer[groups.max()];
    tracker.forEach(
        flow -> {
          int hash =
              PacketEnds.hash(
                  flow.clientHigh(), flow.clientLow(), flow.serverHigh(), flow.serverLow());
          // Packets whose ends were not found on the way are all of one group.
          int group = groups.groupOf(groups.holds(hash) ? hash : PacketEnds.NONE);
          if (byGroup[group] == null) {
            byGroup[group] = new BlockBuffer(1 << 10);
          }
          flow.write(byGroup[group]);
        });
    byte[][] written =
        Arrays.stream(byGroup)
            .map(group -> group == null ? null : group.toBytes())
            .toArray(byte[][]::new);
    return new Written(written);
  }

  /** Flows as they were. */
  private static final class Written implements StateSnapshot {
    private final byte[][] byGroup;

    Written(byte[][] byGroup) {
      this.byGroup = byGroup;
    }

    @Override
    public boolean isEmpty(int group) {
      return byGroup[group] == null;
    }

    @Override
    public void write(int group, BlockBuffer out) {
      out.putByte(VERSION);
      out.put(byGroup[group], 0, byGroup[group].length);
    }
  }

  @Override
  public void restore(int group, BlockInput in) {
    int version = in.takeByte();
    if (version != VERSION) {
      throw in.broken("flows of the unknown version " + version);
    }
    while (in.remaining() > 0) {
      tracker.restore(in);
    }
  }

  @Override
  public void close() {
    if (tracker != null) {
      tracker.close();
    }
  }
}
