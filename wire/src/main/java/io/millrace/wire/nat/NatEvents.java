package io.millrace.wire.nat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;

/**
 * Rows of NAT events (RFC 8158, Cisco's NSEL and NEL): which inside address and port was translated
 * to which outside address and ports, and when. A record is first decoded to a row of flows, which
 * maps vendors' fields; {@link #add} converts that to an event.
 */
public final class NatEvents {
  /** The columns. */
  public static final TableSchema SCHEMA =
      TableSchema.builder()
          .time("time")
          .address("exporter")
          .text("event")
          .number("nat_event")
          .address("inside")
          .number("inside_port")
          .address("outside")
          .number("outside_port")
          .number("outside_port_end")
          .number("port_step")
          .number("proto")
          .address("dst_addr")
          .number("dst_port")
          .number("vrf")
          .text("subscriber")
          .build();

  /** Value of firewallEvent (233) for a continuing flow: no translation. */
  public static final int FIREWALL_UPDATE = 5;

  private static final int TIME = SCHEMA.indexOf("time");
  private static final int EXPORTER = SCHEMA.indexOf("exporter");
  private static final int EVENT = SCHEMA.indexOf("event");
  private static final int NAT_EVENT = SCHEMA.indexOf("nat_event");
  private static final int INSIDE = SCHEMA.indexOf("inside");
  private static final int INSIDE_PORT = SCHEMA.indexOf("inside_port");
  private static final int OUTSIDE = SCHEMA.indexOf("outside");
  private static final int OUTSIDE_PORT = SCHEMA.indexOf("outside_port");
  private static final int OUTSIDE_PORT_END = SCHEMA.indexOf("outside_port_end");
  private static final int PORT_STEP = SCHEMA.indexOf("port_step");
  private static final int PROTO = SCHEMA.indexOf("proto");
  private static final int DST_ADDR = SCHEMA.indexOf("dst_addr");
  private static final int DST_PORT = SCHEMA.indexOf("dst_port");
  private static final int VRF = SCHEMA.indexOf("vrf");
  private static final int SUBSCRIBER = SCHEMA.indexOf("subscriber");

  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;
  private static final int MAX_PORT = 0xFFFF;
  private static final long DAY_MICROS = 86_400_000_000L;

  private NatEvents() {}

  /**
   * Port block by portRangeStart (361), portRangeEnd (362), portRangeStepSize (363) and
   * portRangeNumPorts (364); negative where absent.
   */
  public record Ports(long start, long end, long step, long count) {
    /** No block. */
    public static final Ports NONE = new Ports(-1, -1, -1, -1);

    private boolean isBlock() {
      return start >= 0 && start <= MAX_PORT && (start > 0 || last() > 0);
    }

    private long last() {
      long every = Math.max(1, Math.min(step, MAX_PORT));
      long lastPort = end > 0 ? end : start + (Math.max(1, Math.min(count, MAX_PORT)) - 1) * every;
      return lastPort < start ? start : Math.min(lastPort, MAX_PORT);
    }
  }

  /** Name of a value of natEvent (230), by the registry of RFC 8158 section 8.1. */
  static String natEvent(int value) {
    return switch (value) {
      case 1, 4, 6, 8, 10, 14 -> "create";
      case 2, 5, 7, 9, 11, 15 -> "delete";
      case 3 -> "addresses exhausted";
      case 12 -> "ports exhausted";
      case 13 -> "quota exceeded";
      case 16 -> "allocate";
      case 17 -> "release";
      case 18 -> "threshold reached";
      default -> "other";
    };
  }

  static String firewallEvent(int value) {
    return switch (value) {
      case 1 -> "create";
      case 2 -> "delete";
      case 3 -> "deny";
      case 4 -> "alert";
      case FIREWALL_UPDATE -> "update";
      default -> "other";
    };
  }

  /**
   * Appends an event. If inside and outside addresses are equal, as from a firewall, the outside
   * address is null.
   *
   * @param events receives it, of {@link #SCHEMA}
   * @param flow has the record in {@code row}
   * @param arrivalMicros arrival, microseconds since the epoch: the time of an event without one or
   *     more than a day off
   * @param exporterHigh upper half of the exporter's address
   * @param exporterLow lower half
   * @param natEvent value of natEvent (230); not positive if absent
   * @param firewallEvent value of firewallEvent (233); not positive if absent. A record with
   *     neither is a translation
   * @param ports its port block
   * @param subscriber its subscriber; empty if absent
   */
  public static void add(
      TableBlock events,
      FlowBlock flow,
      int row,
      long arrivalMicros,
      long exporterHigh,
      long exporterLow,
      int natEvent,
      int firewallEvent,
      Ports ports,
      String subscriber) {
    events.reserve(1);
    int to = events.rows();
    events.longs(TIME)[to] = time(flow, row, arrivalMicros);
    events.addressHigh(EXPORTER)[to] = exporterHigh;
    events.addressLow(EXPORTER)[to] = exporterLow;
    events.longs(NAT_EVENT)[to] = natEvent > 0 ? natEvent : TableBlock.NULL;
    boolean isInbound = isInbound(flow, row);
    address(flow, row, isInbound ? FlowColumn.NAT_DST_ADDR : FlowColumn.SRC_ADDR, events, INSIDE);
    events.longs(INSIDE_PORT)[to] =
        notZero(flow, row, isInbound ? FlowColumn.NAT_DST_PORT : FlowColumn.SRC_PORT);
    boolean isOutside = natEvent > 0 || firewallEvent <= 0 || isTranslated(flow, row);
    FlowColumn outside = isInbound ? FlowColumn.DST_ADDR : FlowColumn.NAT_SRC_ADDR;
    address(flow, row, isOutside ? outside : null, events, OUTSIDE);
    address(flow, row, isInbound ? FlowColumn.SRC_ADDR : FlowColumn.DST_ADDR, events, DST_ADDR);
    events.longs(DST_PORT)[to] =
        notZero(flow, row, isInbound ? FlowColumn.SRC_PORT : FlowColumn.DST_PORT);
    long port = notZero(flow, row, isInbound ? FlowColumn.DST_PORT : FlowColumn.NAT_SRC_PORT);
    port = isOutside ? port : TableBlock.NULL;
    boolean isBlock = ports.isBlock();
    events.longs(OUTSIDE_PORT)[to] = isBlock ? ports.start : port;
    events.longs(OUTSIDE_PORT_END)[to] = isBlock ? ports.last() : port;
    events.longs(PORT_STEP)[to] =
        isBlock && ports.step > 1 && ports.step <= MAX_PORT ? ports.step : TableBlock.NULL;
    events.longs(PROTO)[to] = notZero(flow, row, FlowColumn.PROTO);
    events.longs(VRF)[to] = number(flow, row, FlowColumn.IN_VRF);
    events
        .texts(EVENT)
        .add(
            natEvent > 0
                ? natEvent(natEvent)
                : firewallEvent > 0 ? firewallEvent(firewallEvent) : "translation");
    events.texts(SUBSCRIBER).add(subscriber.isEmpty() ? null : subscriber);
    events.rows(to + 1);
  }

  /** Time of the event: the end of the flow, which is also set if the record has a single time. */
  private static long time(FlowBlock flow, int row, long arrivalMicros) {
    long end = flow.longs(FlowColumn.FLOW_END)[row];
    long observed = end == FlowBlock.NULL ? flow.longs(FlowColumn.FLOW_START)[row] : end;
    return observed != FlowBlock.NULL && Math.abs(observed - arrivalMicros) <= DAY_MICROS
        ? observed
        : arrivalMicros;
  }

  /** Whether an address or port of the row differs after translation. */
  public static boolean isTranslated(FlowBlock flow, int row) {
    return !isSourceKept(flow, row) || !isDestinationKept(flow, row);
  }

  private static boolean isSourceKept(FlowBlock flow, int row) {
    return isNone(flow, row, FlowColumn.NAT_SRC_ADDR)
        || (isSame(flow, row, FlowColumn.NAT_SRC_ADDR, FlowColumn.SRC_ADDR)
            && isSamePort(flow, row, FlowColumn.NAT_SRC_PORT, FlowColumn.SRC_PORT));
  }

  private static boolean isDestinationKept(FlowBlock flow, int row) {
    return isNone(flow, row, FlowColumn.NAT_DST_ADDR)
        || (isSame(flow, row, FlowColumn.NAT_DST_ADDR, FlowColumn.DST_ADDR)
            && isSamePort(flow, row, FlowColumn.NAT_DST_PORT, FlowColumn.DST_PORT));
  }

  private static boolean isInbound(FlowBlock flow, int row) {
    return isSourceKept(flow, row)
        && !isDestinationKept(flow, row)
        && !isNone(flow, row, FlowColumn.DST_ADDR);
  }

  private static boolean isSame(FlowBlock flow, int row, FlowColumn one, FlowColumn other) {
    return flow.addressHigh(one)[row] == flow.addressHigh(other)[row]
        && flow.addressLow(one)[row] == flow.addressLow(other)[row];
  }

  /** ICMP has type and code as ports, which are not translated. */
  private static boolean isSamePort(FlowBlock flow, int row, FlowColumn nat, FlowColumn own) {
    long port = notZero(flow, row, nat);
    long proto = number(flow, row, FlowColumn.PROTO);
    boolean isIcmp = proto == ICMP || proto == ICMPV6;
    return isIcmp || port == TableBlock.NULL || port == number(flow, row, own);
  }

  private static boolean isNone(FlowBlock flow, int row, FlowColumn column) {
    if (!flow.has(column)) {
      return true;
    }
    long high = flow.addressHigh(column)[row];
    long low = flow.addressLow(column)[row];
    return Addresses.isNull(high, low) || (high == 0 && (low == 0 || low == Addresses.v4Low(0)));
  }

  private static void address(FlowBlock flow, int row, FlowColumn column, TableBlock to, int at) {
    boolean isNone = column == null || isNone(flow, row, column);
    to.addressHigh(at)[to.rows()] = isNone ? Addresses.NULL : flow.addressHigh(column)[row];
    to.addressLow(at)[to.rows()] = isNone ? Addresses.NULL : flow.addressLow(column)[row];
  }

  private static long notZero(FlowBlock flow, int row, FlowColumn column) {
    long value = number(flow, row, column);
    return value == 0 ? TableBlock.NULL : value;
  }

  private static long number(FlowBlock flow, int row, FlowColumn column) {
    int value = flow.has(column) ? flow.ints(column)[row] : FlowBlock.NULL;
    return value == FlowBlock.NULL ? TableBlock.NULL : Integer.toUnsignedLong(value);
  }
}
