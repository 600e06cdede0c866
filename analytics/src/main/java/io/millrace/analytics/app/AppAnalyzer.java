package io.millrace.analytics.app;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.Output;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StatePieces;
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
import java.util.Map;

/**
 * From packets, dealt out by {@link PacketEnds}, to rows of finished flows ({@link AppRows#FLOWS}),
 * at the output {@link #SUMS} to sums by minute and application ({@link AppRows#APPS}), and at
 * {@link #USES} to what each flow had in 10 s ({@link AppRows#USES}). All come behind each block of
 * packets.
 *
 * <p>State are the open flows by key, and whose the tunnels are, which all subtasks know: of that
 * each writes the part of its key groups, and is given all parts. A flow with packets that are in
 * no sum yet is one whose application is not known yet. Names that addresses were answers for are
 * not state: behind a failure they are learned anew.
 */
public final class AppAnalyzer implements KeyedAnalyzer<PacketBlock, TableBlock>, PartitionedState {
  /** Sums by minute and application. */
  public static final Output<TableBlock> SUMS = Output.ofTable("sums");

  /** What flows had in 10 s. */
  public static final Output<TableBlock> USES = Output.ofTable("uses");

  /** Counter: packets. */
  public static final String PACKETS = "packets";

  /** Counter: packets that are not IP. */
  public static final String NOT_IP = "notIp";

  /** Counter: packets whose headers are cut or wrong. */
  public static final String MALFORMED = "malformed";

  /** Counter: flows that went for want of room. */
  public static final String EVICTED = "evictedFlows";

  /** Counter: subscribers' sessions that went for want of room. */
  public static final String EVICTED_SESSIONS = "evictedSessions";

  /** Gauge: flows that are open. */
  public static final String OPEN = "openFlows";

  /** Gauge: sessions of subscribers whose tunnels are known. */
  public static final String SESSIONS = "sessions";

  private static final int VERSION = 1;

  private final FlowTableConfig config;
  private final IpLayer layer;
  private final ClassifierKind kind;
  private final AppNames names;
  private final SubscriberConfig subscriberConfig;
  private final AppRows rows;
  private SubscriberTable subscribers;
  private AppTracker tracker;
  private KeyGroups groups;
  private AnalyzerContext.Counter packets;
  private AnalyzerContext.Counter notIp;
  private AnalyzerContext.Counter malformed;
  private AnalyzerContext.Counter evicted;
  private AnalyzerContext.Counter evictedSessions;

  /**
   * An analyzer that is not opened.
   *
   * @param layer whose flows they are where packets come in tunnels
   * @param subscribers how those of tunnels are kept
   * @param isUseTold whether {@link #USES} has all flows, and not only those of known subscribers
   */
  public AppAnalyzer(
      FlowTableConfig config,
      IpLayer layer,
      ClassifierKind kind,
      AppNames names,
      SubscriberConfig subscribers,
      boolean isUseTold) {
    this.config = config;
    this.layer = layer;
    this.kind = kind;
    this.names = names;
    subscriberConfig = subscribers;
    rows = new AppRows(isUseTold);
  }

  @Override
  public void open(AnalyzerContext context) {
    groups = context.keyGroups();
    packets = context.counter(PACKETS);
    notIp = context.counter(NOT_IP);
    malformed = context.counter(MALFORMED);
    evicted = context.counter(EVICTED);
    evictedSessions = context.counter(EVICTED_SESSIONS);
    subscribers = subscriberConfig.table();
    tracker =
        new AppTracker(
            config, layer, kind.open(names), subscribers, false, rows::count, this::over);
    context.gauge(OPEN, tracker::openFlows);
    context.gauge(SESSIONS, subscribers::size);
  }

  private void over(AppFlow flow) {
    rows.count(flow);
    rows.add(flow);
    rows.use(flow);
    flow.countedPackets = 0; // what lasts is told and counted in parts
    flow.countedBytes = 0;
  }

  @Override
  public List<Output<?>> outputs() {
    return List.of(SUMS, USES);
  }

  @Override
  public void process(PacketBlock block, Emitter<TableBlock> out) {
    long notIpBefore = tracker.notIp();
    long malformedBefore = tracker.malformed();
    long evictedBefore = tracker.evicted();
    long evictedSessionsBefore = subscribers.evicted();
    byte[] bytes = block.bytes();
    int copies = 0;
    for (int row = 0; row < block.rows(); row++) {
      long time = block.time(row);
      int start = block.start(row);
      int length = block.end(row) - start;
      if (ControlCopies.isCopy(block.linkNumber(row))) {
        tracker.learn(time, LinkType.RAW_IP, bytes, start, length);
        copies++;
      } else {
        rows.advance(time);
        tracker.packet(time, LinkType.of(block.linkNumber(row)), bytes, start, length);
      }
    }
    packets.add(block.rows() - copies);
    evictedSessions.add(subscribers.evicted() - evictedSessionsBefore);
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
    TableBlock uses = rows.takeUses();
    if (uses.rows() > 0) {
      out.emit(USES, uses);
    }
  }

  /** Time is that of the packets; behind the last of them all flows are over. */
  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    if (micros == Long.MAX_VALUE) {
      tracker.endAll();
    } else {
      rows.advance(micros); // nothing may come of a time that has passed
    }
    tell(out);
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
      rows.restored(tracker.restore(in));
    }
  }

  @Override
  public void snapshot(StatePieces out) throws Exception {
    for (Map.Entry<Integer, byte[]> part : subscribers.write(groups).entrySet()) {
      out.put(part.getKey(), 0, part.getValue());
    }
  }

  @Override
  public void restore(int key, long version, byte[] state) {
    subscribers.restore(new BlockInput(state, 0, state.length));
  }

  @Override
  public void close() {
    if (tracker != null) {
      tracker.close();
    }
  }
}
