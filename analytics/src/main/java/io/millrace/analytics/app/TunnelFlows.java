package io.millrace.analytics.app;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.Output;
import io.millrace.analytics.app.subscriber.StateByGroup;
import io.millrace.analytics.app.subscriber.Subscriber;
import io.millrace.analytics.app.subscriber.SubscriberConfig;
import io.millrace.analytics.app.subscriber.TunnelOwners;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.keyed.TwoInputAnalyzer;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Joins flows in tunnels ({@link AppRows#IN_TUNNELS}) with their subscribers ({@link
 * TunnelSessions#OWNERS}), both keyed by tunnel endpoint. Emits rows of {@link AppRows#FLOWS}, and
 * {@link AppRows#USAGE} to {@link #USAGE}.
 *
 * <p>A row waits until the watermark has passed its last packet, so that earlier control messages
 * are known in any order of arrival. Late control messages are counted. State: the owners of
 * endpoints, and at most {@value #MAX_WAITING} waiting rows; beyond that, rows are emitted early.
 */
public final class TunnelFlows implements TwoInputAnalyzer<TableBlock, TableBlock, TableBlock> {
  /** Usage of flows in 10 s. */
  public static final Output<TableBlock> USAGE = Output.ofTable("uses");

  /** Key of {@link AppRows#IN_TUNNELS} by tunnel endpoint. */
  public static final RowKeys<TableBlock> BY_TUNNEL =
      (rows, hashes) -> hashes(rows, AppRows.TUNNEL, AppRows.TUNNEL_END, hashes);

  /** Counter: tunnel endpoints evicted because the table was full. */
  public static final String EVICTED = "evictedTunnels";

  /** Counter: rows emitted early because too many waited. */
  public static final String EARLY = "earlyRows";

  /** Counter: owners that arrived after the rows of their time were emitted. */
  public static final String LATE = "lateOwners";

  private static final int VERSION = 1;
  private static final int MAX_WAITING = 1 << 17;

  // Marker bytes in the state.
  private static final int END = 1;
  private static final int ROWS = 2;

  private final SubscriberConfig config;
  private final boolean hasAllUsage;
  private TunnelOwners owners;
  private KeyGroups groups;
  private AnalyzerContext context;
  private AnalyzerContext.Counter evicted;
  private AnalyzerContext.Counter early;
  private AnalyzerContext.Counter late;
  private TableBlock waiting = new TableBlock(AppRows.IN_TUNNELS, 16);

  private long nextMicros = Long.MAX_VALUE;

  /**
   * An unopened analyzer.
   *
   * @param hasAllUsage whether {@link #USAGE} has all flows, rather than those of known subscribers
   *     only
   */
  public TunnelFlows(SubscriberConfig config, boolean hasAllUsage) {
    this.config = config;
    this.hasAllUsage = hasAllUsage;
  }

  static void hashes(TableBlock rows, int tunnel, int end, int[] hashes) {
    long[] ids = rows.longs(tunnel);
    long[] highs = rows.addressHigh(end);
    long[] lows = rows.addressLow(end);
    for (int row = 0; row < rows.rows(); row++) {
      hashes[row] = TunnelOwners.hash(ids[row], highs[row], lows[row]);
    }
  }

  @Override
  public void open(AnalyzerContext opened) {
    context = opened;
    groups = opened.keyGroups();
    evicted = opened.counter(EVICTED);
    early = opened.counter(EARLY);
    late = opened.counter(LATE);
    owners = config.owners();
  }

  @Override
  public List<Output<?>> outputs() {
    return List.of(USAGE);
  }

  @Override
  public void processFirst(TableBlock updates, Emitter<TableBlock> out) {
    long before = owners.evicted();
    long passed = context.currentWatermark();
    int lateCount = 0;
    for (int row = 0; row < updates.rows(); row++) {
      TunnelSessions.forward(updates, row, owners);
      lateCount += updates.longs(TunnelSessions.SINCE)[row] <= passed ? 1 : 0;
    }
    evicted.add(owners.evicted() - before);
    late.add(lateCount);
  }

  @Override
  public void processSecond(TableBlock rows, Emitter<TableBlock> out) {
    for (int row = 0; row < rows.rows(); row++) {
      await(rows, row);
    }
    leave(context.currentWatermark(), out);
    if (waiting.rows() > MAX_WAITING) {
      early.add(waiting.rows());
      leave(Long.MAX_VALUE, out);
    }
  }

  private void await(TableBlock rows, int row) {
    waiting.add(rows, row);
    nextMicros = Math.min(nextMicros, rows.longs(AppRows.LAST_TIME)[row]);
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    leave(micros, out);
  }

  private void leave(long micros, Emitter<TableBlock> out) {
    if (waiting.rows() == 0 || nextMicros > micros) {
      return;
    }
    long[] last = waiting.longs(AppRows.LAST_TIME);
    TableBlock due = select(row -> last[row] <= micros);
    TableBlock rest = select(row -> last[row] > micros);
    waiting = new TableBlock(AppRows.IN_TUNNELS, rest.rows() + 16);
    nextMicros = Long.MAX_VALUE;
    for (int row = 0; row < rest.rows(); row++) {
      await(rest, row);
    }
    AppRows rows = new AppRows(hasAllUsage);
    for (int row = 0; row < due.rows(); row++) {
      Subscriber found =
          owners.find(
              due.longs(AppRows.TUNNEL)[row],
              due.addressHigh(AppRows.TUNNEL_END)[row],
              due.addressLow(AppRows.TUNNEL_END)[row],
              due.longs(AppRows.TIME)[row],
              due.longs(AppRows.LAST_TIME)[row]);
      rows.join(due, row, found == null ? Subscriber.UNKNOWN : found);
    }
    TableBlock flows = rows.takeFlows();
    if (flows.rows() > 0) {
      out.emit(flows);
    }
    TableBlock usage = rows.takeUsage();
    if (usage.rows() > 0) {
      out.emit(USAGE, usage);
    }
  }

  private TableBlock select(IntPredicate which) {
    int[] rows = IntStream.range(0, waiting.rows()).filter(which).toArray();
    return waiting.select(rows, rows.length);
  }

  @Override
  public StateSnapshot snapshot() {
    StateByGroup state = new StateByGroup(VERSION, groups.max());
    owners.write(END, groups, state);
    int[] hashes = new int[waiting.rows()];
    BY_TUNNEL.hashes(waiting, hashes);
    Map<Integer, TableBlock> byGroup = new HashMap<>();
    for (int row = 0; row < waiting.rows(); row++) {
      byGroup
          .computeIfAbsent(
              groups.groupOf(hashes[row]), group -> new TableBlock(AppRows.IN_TUNNELS, 16))
          .add(waiting, row);
    }
    byGroup.forEach(
        (group, rows) -> {
          BlockBuffer out = state.group(group);
          BlockBuffer block = new BlockBuffer(1 << 10);
          var unused = BlockCodec.encode(rows, block);
          out.putByte(ROWS);
          out.putInt(block.length());
          out.put(block.bytes(), 0, block.length());
        });
    return state;
  }

  @Override
  public void restore(int group, BlockInput in) {
    in.takeVersion(VERSION, "flows in tunnels");
    while (in.remaining() > 0) {
      if (in.takeByte() == END) {
        owners.restore(in);
        continue;
      }
      int length = in.takeInt();
      TableBlock rows = (TableBlock) BlockCodec.decode(in.bytes(), in.take(length), length);
      for (int row = 0; row < rows.rows(); row++) {
        await(rows, row);
      }
    }
  }
}
