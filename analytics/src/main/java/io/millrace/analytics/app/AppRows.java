package io.millrace.analytics.app;

import io.millrace.analytics.flowtable.Flow;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.LinkedHashMap;
import java.util.Map;

/** Rows of finished flows, and sums by minute and application. Not thread-safe. */
public final class AppRows {
  /** A row for each flow that is over, and for each part of one that lasts. */
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
          .build();

  /** Rows that add up: a flow is counted in the minute in which its application was known. */
  public static final TableSchema APPS =
      TableSchema.builder()
          .time("minute")
          .text("app")
          .number("packets")
          .number("bytes")
          .number("flows")
          .build();

  private static final long MINUTE = 60_000_000;

  private record Key(long minute, String app) {}

  private final Map<Key, long[]> sums = new LinkedHashMap<>();
  private TableBlock flows = new TableBlock(FLOWS, 64);

  /** Adds a flow's row. */
  void add(AppFlow flow) {
    flows.reserve(1);
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
    flows.texts(column++).add(flow.by().label());
    flows.texts(column++).add(flow.spoken());
    flows.texts(column++).add(flow.name() == null ? "" : flow.name());
    flows.longs(column++)[row] =
        flow.roundTripMicros() == Flow.UNKNOWN ? TableBlock.NULL : flow.roundTripMicros();
    flows.longs(column)[row] = flow.retransmissions();
    flows.rows(row + 1);
  }

  /** Adds what a flow has had since it was last counted to its application. */
  void count(AppFlow flow) {
    if (flow.isCounted && flow.packets() == flow.countedPackets) {
      return;
    }
    long minute = Math.floorDiv(flow.lastMicros(), MINUTE) * MINUTE;
    long[] sum = sums.computeIfAbsent(new Key(minute, flow.app()), key -> new long[3]);
    sum[0] += flow.packets() - flow.countedPackets;
    sum[1] += flow.bytes() - flow.countedBytes;
    sum[2] += flow.isCounted ? 0 : 1;
    flow.countedPackets = flow.packets();
    flow.countedBytes = flow.bytes();
    flow.isCounted = true;
  }

  /** The rows of flows since the last time; the block is the caller's. */
  TableBlock takeFlows() {
    TableBlock taken = flows;
    flows = new TableBlock(FLOWS, 64);
    return taken;
  }

  /** The sums since the last time. */
  TableBlock takeSums() {
    TableBlock taken = new TableBlock(APPS, sums.size());
    int row = 0;
    for (Map.Entry<Key, long[]> entry : sums.entrySet()) {
      taken.longs(0)[row] = entry.getKey().minute();
      taken.texts(1).add(entry.getKey().app());
      for (int i = 0; i < 3; i++) {
        taken.longs(2 + i)[row] = entry.getValue()[i];
      }
      row++;
    }
    taken.rows(row);
    sums.clear();
    return taken;
  }
}
