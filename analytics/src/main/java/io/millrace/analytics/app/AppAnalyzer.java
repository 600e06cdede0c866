package io.millrace.analytics.app;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.Output;
import io.millrace.analytics.app.subscriber.StateByGroup;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.packets.RejectCounters;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketReject;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Converts packets, keyed by {@link PacketEnds}, to rows of finished flows ({@link AppRows#FLOWS}),
 * with side outputs {@link #SUMS} for sums by minute and application ({@link AppRows#APPS}) and
 * {@link #USAGE} for each flow's usage in 10 s ({@link AppRows#USAGE}). All outputs are emitted
 * after each block of packets.
 *
 * <p>Flows in GTP tunnels and their usage go to {@link #IN_TUNNELS} instead, since their
 * subscribers are joined downstream.
 *
 * <p>State: the open flows by key. Sums do not include packets of a flow before its application is
 * known. Names from DNS answers are not state: they are learned again after a failure.
 */
public final class AppAnalyzer implements KeyedAnalyzer<PacketBlock, TableBlock> {
  /** Sums by minute and application. */
  public static final Output<TableBlock> SUMS = Output.ofTable("sums");

  /** Usage of flows in 10 s. */
  public static final Output<TableBlock> USAGE = Output.ofTable("uses");

  /** Rows of flows in tunnels and of their usage, for {@link TunnelFlows}. */
  public static final Output<TableBlock> IN_TUNNELS = Output.ofTable("in-tunnels");

  /** Counter: packets. */
  public static final String PACKETS = "packets";

  /** Reasons of rejected packets; each is a counter, by its label. */
  public static final Set<PacketReject> REJECTS =
      Collections.unmodifiableSet(
          EnumSet.complementOf(EnumSet.of(PacketReject.BAD_CONTROL_MESSAGE)));

  /** Counter: flows evicted because the table was full. */
  public static final String EVICTED = "evictedFlows";

  /** Counter: flows whose first bytes were not kept because of the memory limit. */
  public static final String DROPPED_HEADS = "droppedHeads";

  /** Gauge: open flows. */
  public static final String OPEN = "openFlows";

  private static final int VERSION = 1;

  private final FlowTableConfig config;
  private final IpLayer layer;
  private final ClassifierKind kind;
  private final AppNames names;
  private final AppRows rows;
  private AppTracker tracker;
  private KeyGroups groups;
  private AnalyzerContext.Counter packets;
  private RejectCounters rejects;

  private Map<LongSupplier, AnalyzerContext.Counter> counted;

  private long[] countedBefore;

  /**
   * An unopened analyzer.
   *
   * @param layer IP layer of the flows for packets in tunnels
   * @param hasAllUsage whether {@link #USAGE} has all flows, rather than those of known subscribers
   *     only
   */
  public AppAnalyzer(
      FlowTableConfig config,
      IpLayer layer,
      ClassifierKind kind,
      AppNames names,
      boolean hasAllUsage) {
    this.config = config;
    this.layer = layer;
    this.kind = kind;
    this.names = names;
    rows = new AppRows(hasAllUsage);
  }

  @Override
  public void open(AnalyzerContext context) {
    groups = context.keyGroups();
    packets = context.counter(PACKETS);
    tracker =
        new AppTracker(config, layer, kind.open(names), Optional.empty(), rows::count, this::over);
    counted = new LinkedHashMap<>();
    counted.put(tracker::evicted, context.counter(EVICTED));
    counted.put(tracker::headsDropped, context.counter(DROPPED_HEADS));
    rejects = new RejectCounters(context, tracker.rejects(), REJECTS);
    countedBefore = new long[counted.size()];
    context.gauge(OPEN, tracker::openFlows);
  }

  private void over(AppFlow flow) {
    rows.count(flow);
    rows.add(flow);
    flow.countedPackets = 0; // long flows are reported and counted in parts
    flow.countedBytes = 0;
  }

  @Override
  public List<Output<?>> outputs() {
    return List.of(SUMS, USAGE, IN_TUNNELS);
  }

  @Override
  public void process(PacketBlock block, Emitter<TableBlock> out) {
    byte[] bytes = block.bytes();
    for (int row = 0; row < block.rows(); row++) {
      long time = block.time(row);
      int start = block.start(row);
      int length = block.end(row) - start;
      rows.advance(time);
      LinkType link = LinkType.of(block.linkNumber(row));
      tracker.packet(time, link, bytes, start, length, block.wireLength(row));
    }
    packets.add(block.rows());
    rejects.update();
    count();
    emit(out);
  }

  private void count() {
    int i = 0;
    for (Map.Entry<LongSupplier, AnalyzerContext.Counter> each : counted.entrySet()) {
      long now = each.getKey().getAsLong();
      each.getValue().add(now - countedBefore[i]);
      countedBefore[i++] = now;
    }
  }

  private void emit(Emitter<TableBlock> out) {
    TableBlock flows = rows.takeFlows();
    if (flows.rows() > 0) {
      out.emit(flows);
    }
    TableBlock sums = rows.takeSums();
    if (sums.rows() > 0) {
      out.emit(SUMS, sums);
    }
    TableBlock usage = rows.takeUsage();
    if (usage.rows() > 0) {
      out.emit(USAGE, usage);
    }
    TableBlock inTunnels = rows.takeInTunnels();
    if (inTunnels.rows() > 0) {
      out.emit(IN_TUNNELS, inTunnels);
    }
  }

  /** Time advances by packets; the end of the input ends all flows. */
  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    if (micros == Long.MAX_VALUE) {
      tracker.endAll();
    } else {
      rows.advance(micros); // the watermark may have passed without a packet
    }
    emit(out);
  }

  /** Flows by key group, serialised immediately, since they are mutable. */
  @Override
  public StateSnapshot snapshot() {
    StateByGroup state = new StateByGroup(VERSION, groups.max());
    tracker.forEach(
        flow -> {
          int hash =
              PacketEnds.hash(
                  flow.clientHigh(), flow.clientLow(), flow.serverHigh(), flow.serverLow());
          // All packets without endpoints have the same hash.
          int group = groups.groupOf(groups.holds(hash) ? hash : PacketEnds.NONE);
          flow.write(state.group(group));
        });
    return state;
  }

  @Override
  public void restore(int group, BlockInput in) {
    int version = in.takeByte();
    if (version != VERSION) {
      throw in.broken("unsupported version of flows: " + version);
    }
    while (in.remaining() > 0) {
      rows.restored(tracker.restore(in));
    }
  }

  @Override
  public void close() {
    if (tracker != null) {
      tracker.close();
    }
  }
}
