package io.millrace.analytics.packets;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaders;
import io.millrace.wire.packet.PacketRejects;

/**
 * Packets and bytes by second and protocol, and optionally by minute and 5-tuple. Bytes are those
 * on the wire, with the link layer.
 *
 * <p>Packets arrive almost in order of time. Those of one second are summed in two arrays by
 * protocol, which are flushed to the table of all seconds when another second begins. Reads per
 * packet: 14 + 20 + 4 bytes of headers, 8 of time, and 4 each of offset and length. Not
 * thread-safe.
 */
public final class PacketSums {
  /** Rows by second and protocol; the protocol is null for packets that are not IP. */
  public static final TableSchema COUNTS =
      TableSchema.builder().time("time").number("proto").number("packets").number("bytes").build();

  /** Rows by minute and 5-tuple, from source to destination. */
  public static final TableSchema FLOWS =
      TableSchema.builder()
          .time("time")
          .address("src_addr")
          .address("dst_addr")
          .number("proto")
          .number("src_port")
          .number("dst_port")
          .number("packets")
          .number("bytes")
          .build();

  private static final long SECOND = 1_000_000;
  private static final long MINUTE = 60 * SECOND;
  private static final int NO_IP = 256;
  private static final int FLOW_KEY = 6;
  private static final int NO_PORT = 0xFFFF_FFFF;

  private final IpLayer layer;
  private final boolean byFlow;
  private final PacketHeaders headers = new PacketHeaders();
  private final PacketRejects rejects = new PacketRejects();
  private final KeyTable seconds = new KeyTable(KeyGroups.all(), 2, 2);
  private final KeyTable flows = new KeyTable(KeyGroups.all(), FLOW_KEY, 2);
  private final long[] flow = new long[FLOW_KEY];

  // Sums of the current second, by protocol.
  private final long[] packets = new long[NO_IP + 1];
  private final long[] bytes = new long[NO_IP + 1];
  private final int[] protocols = new int[NO_IP + 1];
  private int protocolCount;
  private long from;
  private long until;

  /**
   * Empty sums.
   *
   * @param layer IP layer of protocol and 5-tuple
   * @param byFlow whether 5-tuples are counted too
   */
  public PacketSums(IpLayer layer, boolean byFlow) {
    this.layer = layer;
    this.byFlow = byFlow;
  }

  /** Adds the packets of a block. */
  public void add(PacketBlock block) {
    int rows = block.rows();
    byte[] value = block.bytes();
    int start = block.start(0);
    int linkNumber = -1;
    LinkType link = LinkType.UNKNOWN;
    for (int row = 0; row < rows; row++) {
      int end = block.end(row);
      long time = block.time(row);
      long wire = block.wireLength(row);
      if (block.linkNumber(row) != linkNumber) {
        linkNumber = block.linkNumber(row);
        link = LinkType.of(linkNumber);
      }
      if (time < from || time >= until) {
        turnTo(time);
      }
      boolean isIp =
          headers.read(
              layer, link, value, start, end - start, (int) Math.min(wire, Integer.MAX_VALUE));
      if (headers.reject() != null) {
        rejects.add(headers.reject());
      }
      int protocol = isIp && headers.protocol() >= 0 ? headers.protocol() : NO_IP;
      if (packets[protocol]++ == 0) {
        protocols[protocolCount++] = protocol;
      }
      bytes[protocol] += wire;
      if (isIp && byFlow) {
        addFlow(time, wire);
      }
      start = end;
    }
  }

  private void turnTo(long time) {
    fold();
    from = Math.floorDiv(time, SECOND) * SECOND;
    until = from + SECOND;
  }

  private void fold() {
    for (int i = 0; i < protocolCount; i++) {
      int protocol = protocols[i];
      add(seconds, packets[protocol], bytes[protocol], secondOf(from, protocol));
      packets[protocol] = 0;
      bytes[protocol] = 0;
    }
    protocolCount = 0;
  }

  private int secondOf(long second, long protocol) {
    return seconds.entry(Hash.of(second, protocol), second, protocol);
  }

  private static void add(KeyTable to, long morePackets, long moreBytes, int entry) {
    to.values(0)[entry] += morePackets;
    to.values(1)[entry] += moreBytes;
  }

  private void addFlow(long time, long wire) {
    flow[0] = Math.floorDiv(time, MINUTE) * MINUTE;
    flow[1] = headers.srcHigh();
    flow[2] = headers.srcLow();
    flow[3] = headers.dstHigh();
    flow[4] = headers.dstLow();
    flow[5] = lastOf(headers.protocol(), headers.srcPort(), headers.dstPort());
    add(flows, 1, wire, flowEntry());
  }

  /** Protocol and ports in one number; an absent port is 2²⁴−1. */
  private static long lastOf(int protocol, int srcPort, int dstPort) {
    return (long) protocol << 48 | (srcPort & 0xFF_FFFFL) << 24 | (dstPort & 0xFF_FFFFL);
  }

  private int flowEntry() {
    int hash = Hash.of(flow[0], flow[5]);
    hash = Hash.of(hash, flow[1]);
    hash = Hash.of(hash, flow[2]);
    hash = Hash.of(hash, flow[3]);
    return flows.entry(Hash.of(hash, flow[4]), flow);
  }

  /** Counters of packets with unknown protocol or inner layer. */
  public PacketRejects rejects() {
    return rejects;
  }

  /** Minimum number of rows of {@link #takeCounts}, without the current second. */
  public int countRows() {
    return seconds.size();
  }

  /** Number of rows of {@link #takeFlows}. */
  public int flowRows() {
    return flows.size();
  }

  /** Current rows of {@link #COUNTS}. */
  public TableBlock counts() {
    fold();
    int rows = seconds.size();
    TableBlock block = new TableBlock(COUNTS, rows);
    for (int row = 0; row < rows; row++) {
      long protocol = seconds.key(row, 1);
      block.longs(0)[row] = seconds.key(row, 0);
      block.longs(1)[row] = protocol == NO_IP ? TableBlock.NULL : protocol;
      block.longs(2)[row] = seconds.values(0)[row];
      block.longs(3)[row] = seconds.values(1)[row];
    }
    block.rows(rows);
    return block;
  }

  /** Current rows of {@link #FLOWS}. */
  public TableBlock flows() {
    int rows = flows.size();
    TableBlock block = new TableBlock(FLOWS, rows);
    for (int row = 0; row < rows; row++) {
      long last = flows.key(row, 5);
      block.longs(0)[row] = flows.key(row, 0);
      block.addressHigh(1)[row] = flows.key(row, 1);
      block.addressLow(1)[row] = flows.key(row, 2);
      block.addressHigh(2)[row] = flows.key(row, 3);
      block.addressLow(2)[row] = flows.key(row, 4);
      block.longs(3)[row] = orNull(last >> 48, -1);
      block.longs(4)[row] = orNull(last >>> 24 & 0xFF_FFFF, 0xFF_FFFF);
      block.longs(5)[row] = orNull(last & 0xFF_FFFF, 0xFF_FFFF);
      block.longs(6)[row] = flows.values(0)[row];
      block.longs(7)[row] = flows.values(1)[row];
    }
    block.rows(rows);
    return block;
  }

  private static long orNull(long value, long none) {
    return value == none ? TableBlock.NULL : value;
  }

  /** Returns and resets the counts. */
  public TableBlock takeCounts() {
    TableBlock taken = counts();
    seconds.clear();
    return taken;
  }

  /** Returns and resets the 5-tuples. */
  public TableBlock takeFlows() {
    TableBlock taken = flows();
    flows.clear();
    return taken;
  }

  /** Adds rows of {@link #counts}. */
  public void restoreCounts(TableBlock rows) {
    for (int row = 0; row < rows.rows(); row++) {
      long protocol = rows.longs(1)[row];
      int entry = secondOf(rows.longs(0)[row], protocol == TableBlock.NULL ? NO_IP : protocol);
      add(seconds, rows.longs(2)[row], rows.longs(3)[row], entry);
    }
  }

  /** Adds rows of {@link #flows}. */
  public void restoreFlows(TableBlock rows) {
    for (int row = 0; row < rows.rows(); row++) {
      flow[0] = rows.longs(0)[row];
      flow[1] = rows.addressHigh(1)[row];
      flow[2] = rows.addressLow(1)[row];
      flow[3] = rows.addressHigh(2)[row];
      flow[4] = rows.addressLow(2)[row];
      flow[5] = lastOf(port(rows, 3, row), port(rows, 4, row), port(rows, 5, row));
      add(flows, rows.longs(6)[row], rows.longs(7)[row], flowEntry());
    }
  }

  private static int port(TableBlock rows, int column, int row) {
    long value = rows.longs(column)[row];
    return value == TableBlock.NULL ? NO_PORT : (int) value;
  }
}
