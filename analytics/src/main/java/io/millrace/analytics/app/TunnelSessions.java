package io.millrace.analytics.app;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.app.subscriber.ControlMessages;
import io.millrace.analytics.app.subscriber.StateByGroup;
import io.millrace.analytics.app.subscriber.Subscriber;
import io.millrace.analytics.app.subscriber.SubscriberConfig;
import io.millrace.analytics.app.subscriber.SubscriberTable;
import io.millrace.analytics.flowtable.Packet;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.packets.RejectCounters;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.pcap.IpPackets;
import java.util.Set;

/**
 * Converts {@link ControlMessages}, keyed {@link ControlMessages#BY_NODE}, to owners of tunnels
 * over time ({@link #OWNERS}). State: the sessions of each node, and its unmatched requests and
 * responses.
 */
public final class TunnelSessions implements KeyedAnalyzer<PacketBlock, TableBlock> {
  static final TableSchema OWNERS =
      TableSchema.builder()
          .time("since")
          .number("tunnel")
          .address("end_addr")
          .number("is_known")
          .text("subscriber")
          .number("area")
          .number("cell")
          .build();

  static final int SINCE = 0;

  /** Key of {@link #OWNERS} by tunnel endpoint. */
  public static final RowKeys<TableBlock> BY_TUNNEL =
      (rows, hashes) -> TunnelFlows.hashes(rows, 1, 2, hashes);

  /** Counter: sessions evicted because the table was full. */
  public static final String EVICTED = "evictedSessions";

  // Truncated and invalid messages are counted too, by the labels of their reasons.

  /** Gauge: sessions with known tunnels. */
  public static final String SESSIONS = "sessions";

  private static final int VERSION = 1;

  private final SubscriberConfig config;
  private final IpPackets ip = new IpPackets(IpLayer.OUTER);
  private final Packet packet = new Packet();
  private SubscriberTable table;
  private TableBlock pending = new TableBlock(OWNERS, 16);
  private KeyGroups groups;
  private AnalyzerContext.Counter evicted;
  private RejectCounters rejects;

  /** An unopened analyzer. */
  public TunnelSessions(SubscriberConfig config) {
    this.config = config;
  }

  @Override
  public void open(AnalyzerContext context) {
    groups = context.keyGroups();
    evicted = context.counter(EVICTED);
    table = config.table(this::addOwner, ip.rejects());
    rejects = new RejectCounters(context, ip.rejects(), Set.of(PacketReject.BAD_CONTROL_MESSAGE));
    context.gauge(SESSIONS, table::size);
  }

  private void addOwner(long id, long high, long low, long since, Subscriber subscriber) {
    pending.reserve(1);
    int row = pending.rows();
    Subscriber known = subscriber == null ? Subscriber.UNKNOWN : subscriber;
    pending.longs(SINCE)[row] = since;
    pending.longs(1)[row] = id;
    pending.addressHigh(2)[row] = high;
    pending.addressLow(2)[row] = low;
    pending.longs(3)[row] = subscriber == null ? 0 : 1;
    pending.texts(4).add(known.identity() == null ? "" : known.identity());
    pending.longs(5)[row] = known.area();
    pending.longs(6)[row] = known.cell();
    pending.rows(row + 1);
  }

  static void forward(TableBlock owners, int row, SubscriberTable.Listener listener) {
    String identity = owners.texts(4).get(row);
    boolean isKnown = owners.longs(3)[row] != 0;
    listener.setOwner(
        owners.longs(1)[row],
        owners.addressHigh(2)[row],
        owners.addressLow(2)[row],
        owners.longs(SINCE)[row],
        isKnown
            ? new Subscriber(
                identity.isEmpty() ? null : identity,
                (int) owners.longs(5)[row],
                owners.longs(6)[row])
            : null);
  }

  @Override
  public void process(PacketBlock block, Emitter<TableBlock> out) {
    long evictedBefore = table.evicted();
    for (int row = 0; row < block.rows(); row++) {
      long time = block.time(row);
      int start = block.start(row);
      if (ip.read(time, LinkType.RAW_IP, block.bytes(), start, block.end(row) - start)
              == IpPackets.Outcome.READ
          && packet.wrap(ip, time)) {
        table.learn(ControlMessages.isSenders(block, row), packet);
      }
    }
    evicted.add(table.evicted() - evictedBefore);
    rejects.update();
    if (pending.rows() > 0) {
      out.emit(pending);
      pending = new TableBlock(OWNERS, 16);
    }
  }

  @Override
  public StateSnapshot snapshot() {
    StateByGroup state = new StateByGroup(VERSION, groups.max());
    table.write(groups, state);
    return state;
  }

  @Override
  public void restore(int group, BlockInput in) {
    in.takeVersion(VERSION, "sessions of subscribers");
    table.restore(in);
  }
}
