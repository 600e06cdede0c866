package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.i64;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.FlowColumn;
import java.util.Arrays;

/** Writes records of one template to rows: a switch per field, and a tight loop over records. */
final class RecordReader {
  private static final long NO_IPV4 = Addresses.v4Low(0);

  /** Maximum VLAN: 4,095 is reserved (IEEE 802.1Q); 0 means none. */
  private static final int MAX_VLAN = 4_094;

  private FlowBlock out;
  private byte[] bytes;
  private long exportMicros;
  private int uptime;
  private boolean knowsUptime;

  private boolean hasWrongTime;

  void begin(FlowBlock block, byte[] b, long exportTimeMicros, int uptimeMillis, boolean known) {
    out = block;
    bytes = b;
    exportMicros = exportTimeMicros;
    uptime = uptimeMillis;
    knowsUptime = known;
  }

  void fillUnknown(FieldPlan plan, int from, int to) {
    for (FlowColumn column : plan.unfilled) {
      if (column.type().isInt()) {
        Arrays.fill(out.ints(column), from, to, FlowBlock.NULL);
      } else if (column.type().isLong()) {
        Arrays.fill(out.longs(column), from, to, FlowBlock.NULL);
      } else {
        Arrays.fill(out.addressHigh(column), from, to, Addresses.NULL);
        Arrays.fill(out.addressLow(column), from, to, Addresses.NULL);
      }
    }
  }

  /**
   * Fills the rows from {@code from} to {@code to}; records begin at {@code base}, {@code step}
   * bytes apart, with fields at {@code offset}, in the steps of the plan.
   */
  void fill(FieldPlan plan, int[] offset, int[] length, int base, int step, int from, int to) {
    byte[] b = bytes;
    FlowField[] fields = plan.fields;
    hasWrongTime = false;
    for (int s = 0; s < fields.length; s++) {
      FlowField f = fields[s];
      int at = base + offset[s];
      int len = length[s];
      boolean overlay = plan.isOverlay[s];
      switch (f.kind) {
        case NUMBER -> {
          if (overlay) {
            overlay(f, at, step, len, from, to);
          } else if (f.column.type().isInt()) {
            Numbers.ints(b, at, step, len, f.mask, out.ints(f.column), from, to);
          } else {
            Numbers.longs(b, at, step, len, out.longs(f.column), from, to);
          }
        }
        case DSCP -> shifted(f.column, 2, overlay, at, step, len, from, to);
        case PRECEDENCE -> shifted(f.column, 5, overlay, at, step, len, from, to);
        case DIRECTION -> direction(at, step, len, from, to);
        case APPLICATION -> applications(at, step, len, from, to);
        case IPV4 -> ipv4(at, step, len, f.column, overlay, from, to);
        case IPV6 -> {
          int hint = overlay ? plan.step(FlowField.IP_VERSION) : -1;
          int version = hint >= 0 && length[hint] == 1 ? base + offset[hint] : -1;
          ipv6(at, step, len, f.column, overlay, version, from, to);
        }
        case MASK_IPV6 -> {
          boolean both =
              plan.has(f == FlowField.SRC_MASK_IPV6 ? FlowField.SRC_MASK : FlowField.DST_MASK);
          maskIpv6(at, step, len, out.ints(f.column), both, from, to);
        }
        case MPLS -> mpls(at, step, len, from, to);
        case ASIDE -> {}
        case UPTIME -> {
          if (knowsUptime) {
            times(f, overlay, at, step, len, from, to);
          }
        }
        default -> times(f, overlay, at, step, len, from, to);
      }
    }
    if (hasWrongTime && knowsUptime) {
      beyondUptime(plan, offset, length, base, step, from, to);
    }
    durations(plan, FlowField.DURATION_MILLIS, 1000, offset, length, base, step, from, to);
    durations(plan, FlowField.DURATION_MICROS, 1, offset, length, base, step, from, to);
    etherType(plan.has(FlowField.ETHER_TYPE), from, to);
    Arrays.fill(
        out.ints(FlowColumn.OUT_IF_FORMAT),
        from,
        to,
        plan.has(FlowField.OUT_IF) ? 0 : FlowBlock.NULL);
  }

  private void overlay(FlowField f, int at, int step, int length, int from, int to) {
    FlowColumn column = f.column;
    if (column.type().isInt()) {
      boolean isVlan = column == FlowColumn.SRC_VLAN || column == FlowColumn.DST_VLAN;
      int max = isVlan ? MAX_VLAN : f.mask;
      boolean isFlags = column == FlowColumn.TCP_FLAGS;
      Numbers.overlay(bytes, at, step, length, f.mask, max, isFlags, out.ints(column), from, to);
    } else {
      long max =
          switch (column) {
            case BYTES -> FlowBounds.MAX_BYTES;
            case PACKETS -> FlowBounds.MAX_PACKETS;
            default -> Long.MAX_VALUE;
          };
      Numbers.overlay(bytes, at, step, length, max, out.longs(column), from, to);
    }
  }

  private void shifted(
      FlowColumn column,
      int shift,
      boolean overlay,
      int at,
      int step,
      int length,
      int from,
      int to) {
    int[] values = out.ints(column);
    for (int i = from; i < to; i++, at += step) {
      long number = Numbers.number(bytes, at, length);
      boolean isUsable = number >= 0 && number < 1 << (Byte.SIZE - shift);
      if (!overlay || (isUsable && number != 0)) {
        values[i] = isUsable ? (int) number << shift : FlowBlock.NULL;
      }
    }
  }

  private void direction(int at, int step, int length, int from, int to) {
    int[] values = out.ints(FlowColumn.DIRECTION);
    for (int i = from; i < to; i++, at += step) {
      long number = Numbers.number(bytes, at, length);
      values[i] = number == 0 || number == 1 ? (int) number : FlowBlock.NULL;
    }
  }

  private void applications(int at, int step, int length, int from, int to) {
    long[] values = out.longs(FlowColumn.APP_ID);
    for (int i = from; i < to; i++, at += step) {
      values[i] = ApplicationId.of(bytes, at, length);
    }
  }

  private void times(FlowField f, boolean overlay, int at, int step, int length, int from, int to) {
    long[] column = out.longs(f.column);
    hasWrongTime |=
        FlowTimes.read(
            f.kind, overlay, bytes, at, step, length, exportMicros, uptime, column, from, to);
    if (f.isSeen()) {
      long[] end = out.longs(FlowColumn.FLOW_END);
      for (int i = from; i < to; i++) {
        end[i] = column[i] == FlowBlock.NULL ? end[i] : column[i];
      }
    }
  }

  private void durations(
      FieldPlan plan,
      FlowField field,
      int unitMicros,
      int[] offset,
      int[] length,
      int base,
      int step,
      int from,
      int to) {
    int s = plan.step(field);
    if (s >= 0) {
      FlowTimes.byDuration(bytes, base + offset[s], step, length[s], unitMicros, out, from, to);
    }
  }

  private void beyondUptime(
      FieldPlan plan, int[] offset, int[] length, int base, int step, int from, int to) {
    int start = plan.step(FlowField.START_UPTIME);
    int end = plan.step(FlowField.END_UPTIME);
    if (start >= 0 && end >= 0) {
      FlowTimes.beyondUptime(
          bytes,
          base + offset[start],
          length[start],
          base + offset[end],
          length[end],
          step,
          exportMicros,
          uptime,
          out,
          from,
          to);
    }
  }

  private void ipv4(
      int at, int step, int length, FlowColumn column, boolean overlay, int from, int to) {
    long[] high = out.addressHigh(column);
    long[] low = out.addressLow(column);
    byte[] b = bytes;
    if (length != 4) {
      if (!overlay) {
        Arrays.fill(high, from, to, Addresses.NULL);
        Arrays.fill(low, from, to, Addresses.NULL);
      }
    } else if (overlay) {
      for (int i = from; i < to; i++, at += step) {
        int address = i32(b, at);
        if (address != 0) {
          high[i] = 0;
          low[i] = Addresses.v4Low(address);
        }
      }
    } else {
      Arrays.fill(high, from, to, 0);
      for (int i = from; i < to; i++, at += step) {
        low[i] = Addresses.v4Low(i32(b, at));
      }
    }
  }

  /**
   * Selects the family in templates with both: by ipVersion (at {@code version}, unless negative),
   * otherwise an all-zero address is absent, and if both are present, the IPv6 address belongs to a
   * tunnel.
   */
  private void ipv6(
      int at,
      int step,
      int length,
      FlowColumn column,
      boolean overlay,
      int version,
      int from,
      int to) {
    long[] high = out.addressHigh(column);
    long[] low = out.addressLow(column);
    if (length != 16) {
      if (!overlay) {
        Arrays.fill(high, from, to, Addresses.NULL);
        Arrays.fill(low, from, to, Addresses.NULL);
      }
      return;
    }
    byte[] b = bytes;
    for (int i = from; i < to; i++, at += step) {
      long h = i64(b, at);
      long l = i64(b, at + 8);
      int hint = version < 0 ? 0 : b[version + (i - from) * step];
      boolean isReplaceable = low[i] == NO_IPV4 || !Addresses.isV4(high[i], low[i]);
      boolean isTaken = hint == 6 || (hint != 4 && isReplaceable);
      if (!overlay || (isTaken && (h | l) != 0)) {
        high[i] = h;
        low[i] = l;
      }
    }
  }

  private void maskIpv6(
      int at, int step, int length, int[] column, boolean both, int from, int to) {
    for (int i = from; i < to; i++, at += step) {
      int mask = (int) Numbers.number(bytes, at, length);
      if (!both || mask > 0) {
        column[i] = mask;
      }
    }
  }

  /**
   * Reads labels: the upper 20 bits of three bytes (RFC 3032), or of a stack entry of four, as some
   * exporters send.
   */
  private void mpls(int at, int step, int length, int from, int to) {
    int[] column = out.ints(FlowColumn.MPLS_LABEL);
    for (int i = from; i < to; i++, at += step) {
      long entry = length < 3 ? FlowBlock.NULL : Numbers.number(bytes, at, 3);
      column[i] = entry < 0 ? FlowBlock.NULL : (int) entry >>> 4;
    }
  }

  private void etherType(boolean isSaid, int from, int to) {
    int[] type = out.ints(FlowColumn.ETHER_TYPE);
    long[] high = out.addressHigh(FlowColumn.SRC_ADDR);
    long[] low = out.addressLow(FlowColumn.SRC_ADDR);
    long[] otherHigh = out.addressHigh(FlowColumn.DST_ADDR);
    long[] otherLow = out.addressLow(FlowColumn.DST_ADDR);
    for (int i = from; i < to; i++) {
      if (isSaid && type[i] != 0) {
        continue;
      }
      boolean none = Addresses.isNull(high[i], low[i]);
      long h = none ? otherHigh[i] : high[i];
      long l = none ? otherLow[i] : low[i];
      type[i] = Addresses.isNull(h, l) ? FlowBlock.NULL : Addresses.isV4(h, l) ? 0x0800 : 0x86DD;
    }
  }
}
