package io.millrace.analytics.app;

import io.millrace.analytics.app.subscriber.Subscriber;
import io.millrace.analytics.app.subscriber.SubscriberNames;
import io.millrace.analytics.flowtable.Flow;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Rows of finished flows, sums by minute and application, and usage of flows in 10 s. Not
 * thread-safe.
 */
public final class AppRows {
  /** A row per finished flow, and per part of a long one. */
  public static final TableSchema FLOWS =
      TableSchema.builder()
          .time("time")
          .time("last_time")
          .address("src_addr")
          .address("dst_addr")
          .number("proto")
          .number("src_port")
          .number("dst_port")
          .number("packets")
          .number("bytes")
          .number("dst_packets")
          .number("dst_bytes")
          .text("app")
          .text("app_by")
          .text("app_protocol")
          .text("name")
          .number("rtt")
          .number("retransmissions")
          .text("subscriber")
          .number("area")
          .number("cell")
          .build();

  /** Additive rows: a flow counts in the minute in which its application was identified. */
  public static final TableSchema APPS =
      TableSchema.builder()
          .time("minute")
          .text("app")
          .number("packets")
          .number("bytes")
          .number("flows")
          .number("subscribers")
          .build();

  /**
   * Usage of a flow with known application in the 10 s that end at {@code span_end}, one row each.
   * {@code begun} distinguishes flows with equal endpoints. For record streams, {@code time} is
   * {@code span_end} in milliseconds, and {@code msisdn} is the subscriber as a number, null if
   * unknown.
   */
  public static final TableSchema USAGE =
      TableSchema.builder()
          .time("span_end")
          .number("time")
          .text("app")
          .text("subscriber")
          .number("msisdn")
          .number("area")
          .number("cell")
          .number("bytes")
          .number("packets")
          .address("src_addr")
          .address("dst_addr")
          .number("proto")
          .number("src_port")
          .number("dst_port")
          .time("begun")
          .build();

  /**
   * Flows in tunnels whose subscribers are joined downstream: finished flows or parts of them with
   * their unreported usage of the last 10 s, or usage only. The first columns are those of {@link
   * #FLOWS}.
   */
  static final TableSchema IN_TUNNELS = inTunnels();

  static final int TIME = IN_TUNNELS.indexOf("time");
  static final int LAST_TIME = IN_TUNNELS.indexOf("last_time");
  static final int TUNNEL = IN_TUNNELS.indexOf("tunnel");
  static final int TUNNEL_END = IN_TUNNELS.indexOf("end_addr");
  private static final int IS_OVER = IN_TUNNELS.indexOf("is_over");
  private static final int USAGE_SINCE = IN_TUNNELS.indexOf("use_since");
  private static final int USAGE_PACKETS = IN_TUNNELS.indexOf("use_packets");
  private static final int USAGE_BYTES = IN_TUNNELS.indexOf("use_bytes");
  private static final int SUBSCRIBER = FLOWS.indexOf("subscriber");

  static final long MINUTE = 60_000_000;
  private static final long USAGE_INTERVAL = 10_000_000;
  private static final long MILLI = 1_000;

  private record Key(long minute, String app) {}

  private final Map<Key, long[]> sums = new LinkedHashMap<>();
  private TableBlock flows = new TableBlock(FLOWS, 64);
  private TableBlock inTunnels = new TableBlock(IN_TUNNELS, 64);

  private final boolean hasAllUsage;
  private final Set<AppFlow> withUsage = new LinkedHashSet<>();
  private TableBlock usage = new TableBlock(USAGE, 64);
  private long nowMicros = Long.MIN_VALUE;

  AppRows(boolean hasAllUsage) {
    this.hasAllUsage = hasAllUsage;
  }

  private static TableSchema inTunnels() {
    List<TableSchema.Column> columns = new ArrayList<>(FLOWS.columns());
    columns.addAll(
        TableSchema.builder()
            .number("is_over")
            .time("use_since")
            .number("use_packets")
            .number("use_bytes")
            .number("tunnel")
            .address("end_addr")
            .build()
            .columns());
    return new TableSchema(columns);
  }

  void add(AppFlow flow) {
    if (flow.isInTunnel()) {
      addInTunnel(flow, true);
      return;
    }
    flows.reserve(1);
    fill(flows, flow);
    flows.rows(flows.rows() + 1);
    emitUsage(flow);
  }

  private static void fill(TableBlock flows, AppFlow flow) {
    int row = flows.rows();
    int column = 0;
    flows.longs(column++)[row] = flow.firstMicros();
    flows.longs(column++)[row] = flow.lastMicros();
    flows.addressHigh(column)[row] = flow.clientHigh();
    flows.addressLow(column++)[row] = flow.clientLow();
    flows.addressHigh(column)[row] = flow.serverHigh();
    flows.addressLow(column++)[row] = flow.serverLow();
    flows.longs(column++)[row] = flow.protocol();
    flows.longs(column++)[row] = flow.clientPort();
    flows.longs(column++)[row] = flow.serverPort();
    flows.longs(column++)[row] = flow.packets();
    flows.longs(column++)[row] = flow.bytes();
    flows.longs(column++)[row] = flow.serverPackets();
    flows.longs(column++)[row] = flow.serverBytes();
    flows.texts(column++).add(flow.app());
    flows.texts(column++).add(flow.evidence().label());
    flows.texts(column++).add(flow.appProtocol());
    flows.texts(column++).add(flow.name() == null ? "" : flow.name());
    flows.longs(column++)[row] =
        flow.roundTripMicros() == Flow.UNKNOWN ? TableBlock.NULL : flow.roundTripMicros();
    flows.longs(column++)[row] = flow.retransmissions();
    Subscriber subscriber = flow.subscriber();
    flows.texts(column++).add(subscriber.identity() == null ? "" : subscriber.identity());
    flows.longs(column++)[row] = known(subscriber.area());
    flows.longs(column)[row] = known(subscriber.cell());
  }

  private void addInTunnel(AppFlow flow, boolean isOver) {
    inTunnels.reserve(1);
    int row = inTunnels.rows();
    fill(inTunnels, flow);
    inTunnels.longs(IS_OVER)[row] = isOver ? 1 : 0;
    inTunnels.longs(USAGE_SINCE)[row] = flow.usageSinceMicros;
    inTunnels.longs(USAGE_PACKETS)[row] = flow.usagePackets;
    inTunnels.longs(USAGE_BYTES)[row] = flow.usageBytes;
    inTunnels.longs(TUNNEL)[row] = flow.tunnelId();
    inTunnels.addressHigh(TUNNEL_END)[row] = flow.tunnelHigh();
    inTunnels.addressLow(TUNNEL_END)[row] = flow.tunnelLow();
    inTunnels.rows(row + 1);
    clearUsage(flow);
  }

  private void clearUsage(AppFlow flow) {
    flow.usagePackets = 0;
    flow.usageBytes = 0;
    withUsage.remove(flow);
  }

  void join(TableBlock from, int row, Subscriber subscriber) {
    if (from.longs(IS_OVER)[row] != 0) {
      flows.reserve(1);
      int at = flows.rows();
      for (int column = 0; column < SUBSCRIBER; column++) {
        copy(from, column, row, flows, column);
      }
      flows.texts(SUBSCRIBER).add(subscriber.identity() == null ? "" : subscriber.identity());
      flows.longs(SUBSCRIBER + 1)[at] = known(subscriber.area());
      flows.longs(SUBSCRIBER + 2)[at] = known(subscriber.cell());
      flows.rows(at + 1);
    }
    if (from.longs(USAGE_PACKETS)[row] > 0 && (hasAllUsage || subscriber.identity() != null)) {
      usage.reserve(1);
      for (String column :
          List.of("app", "src_addr", "dst_addr", "proto", "src_port", "dst_port")) {
        copy(from, IN_TUNNELS.indexOf(column), row, usage, USAGE.indexOf(column));
      }
      addUsage(
          from.longs(USAGE_SINCE)[row],
          subscriber,
          from.longs(USAGE_BYTES)[row],
          from.longs(USAGE_PACKETS)[row],
          from.longs(TIME)[row]);
    }
  }

  private static void copy(TableBlock from, int column, int row, TableBlock to, int toColumn) {
    int at = to.rows();
    switch (from.schema().type(column)) {
      case TEXT -> to.texts(toColumn).add(from.texts(column), row);
      case ADDRESS -> {
        to.addressHigh(toColumn)[at] = from.addressHigh(column)[row];
        to.addressLow(toColumn)[at] = from.addressLow(column)[row];
      }
      default -> to.longs(toColumn)[at] = from.longs(column)[row];
    }
  }

  private static long known(long number) {
    return number < 0 ? TableBlock.NULL : number;
  }

  void count(AppFlow flow) {
    if (flow.isCounted && flow.packets() == flow.countedPackets) {
      return;
    }
    long minute = Math.floorDiv(flow.lastMicros(), MINUTE) * MINUTE;
    long[] sum = sums.computeIfAbsent(new Key(minute, flow.app()), key -> new long[3]);
    sum[0] += flow.packets() - flow.countedPackets;
    sum[1] += flow.bytes() - flow.countedBytes;
    sum[2] += flow.isCounted ? 0 : 1;
    if (hasAllUsage || flow.isInTunnel() || flow.subscriber().identity() != null) {
      if (flow.usagePackets == 0) {
        flow.usageSinceMicros = nowMicros;
        withUsage.add(flow);
      }
      flow.usagePackets += flow.packets() - flow.countedPackets;
      flow.usageBytes += flow.bytes() - flow.countedBytes;
    }
    flow.countedPackets = flow.packets();
    flow.countedBytes = flow.bytes();
    flow.isCounted = true;
  }

  void advance(long micros) {
    if (micros <= nowMicros) {
      return;
    }
    long span = Math.floorDiv(micros, USAGE_INTERVAL);
    if (span != Math.floorDiv(nowMicros, USAGE_INTERVAL)) {
      for (AppFlow flow : List.copyOf(withUsage)) {
        if (Math.floorDiv(flow.usageSinceMicros, USAGE_INTERVAL) < span) {
          emitUsage(flow);
        }
      }
    }
    nowMicros = micros;
  }

  void emitUsage(AppFlow flow) {
    if (flow.usagePackets == 0) {
      return;
    }
    if (flow.isInTunnel()) {
      addInTunnel(flow, false);
      return;
    }
    usage.reserve(1);
    int row = usage.rows();
    int column = USAGE.indexOf("src_addr");
    usage.texts(USAGE.indexOf("app")).add(flow.app());
    usage.addressHigh(column)[row] = flow.clientHigh();
    usage.addressLow(column++)[row] = flow.clientLow();
    usage.addressHigh(column)[row] = flow.serverHigh();
    usage.addressLow(column++)[row] = flow.serverLow();
    usage.longs(column++)[row] = flow.protocol();
    usage.longs(column++)[row] = flow.clientPort();
    usage.longs(column)[row] = flow.serverPort();
    addUsage(
        flow.usageSinceMicros,
        flow.subscriber(),
        flow.usageBytes,
        flow.usagePackets,
        flow.firstMicros());
    clearUsage(flow);
  }

  private void addUsage(long since, Subscriber subscriber, long bytes, long packets, long begun) {
    int row = usage.rows();
    String identity = subscriber.identity();
    long end = (Math.floorDiv(since, USAGE_INTERVAL) + 1) * USAGE_INTERVAL;
    int column = 0;
    usage.longs(column++)[row] = end;
    usage.longs(column++)[row] = end / MILLI;
    column++; // app
    usage.texts(column++).add(identity == null ? "" : identity);
    usage.longs(column++)[row] =
        identity == null ? TableBlock.NULL : SubscriberNames.number(identity);
    usage.longs(column++)[row] = known(subscriber.area());
    usage.longs(column++)[row] = known(subscriber.cell());
    usage.longs(column++)[row] = bytes;
    usage.longs(column)[row] = packets;
    usage.longs(USAGE.indexOf("begun"))[row] = begun;
    usage.rows(row + 1);
  }

  void restored(AppFlow flow) {
    if (flow.usagePackets > 0) {
      withUsage.add(flow);
    }
  }

  TableBlock takeFlows() {
    TableBlock taken = flows;
    flows = new TableBlock(FLOWS, 64);
    return taken;
  }

  TableBlock takeInTunnels() {
    TableBlock taken = inTunnels;
    inTunnels = new TableBlock(IN_TUNNELS, 64);
    return taken;
  }

  TableBlock takeUsage() {
    TableBlock taken = usage;
    usage = new TableBlock(USAGE, 64);
    return taken;
  }

  TableBlock takeSums() {
    TableBlock taken = new TableBlock(APPS, sums.size());
    int row = 0;
    for (Map.Entry<Key, long[]> entry : sums.entrySet()) {
      taken.longs(0)[row] = entry.getKey().minute();
      taken.texts(1).add(entry.getKey().app());
      for (int i = 0; i < 3; i++) {
        taken.longs(2 + i)[row] = entry.getValue()[i];
      }
      taken.longs(5)[row] = 0; // counted downstream, by subscriber
      row++;
    }
    taken.rows(row);
    sums.clear();
    return taken;
  }
}
