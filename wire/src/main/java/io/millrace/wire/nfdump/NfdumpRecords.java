package io.millrace.wire.nfdump;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.FlowColumn;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

final class NfdumpRecords {
  private static final int FLOW_0 = 1;
  private static final int MAP = 2;
  private static final int EXPORTER = 7;
  private static final int FLOW_1 = 10;
  private static final int FLOW_2 = 11;
  private static final int AF_INET = 2;

  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  private static final int IPV6 = 1;
  private static final int PACKETS_64 = 2;
  private static final int BYTES_64 = 4;

  /** Lengths of the extensions of version 1, by number; 0 if unknown. */
  private static final int[] SIZES = {
    0, 0, 0, 0, 4, 8, 4, 8, 4, 4, 16, 4, 16, 4, 4, 8, 4, 8, 4, 8, 16, 16, 40, 4, 16, 4, 8, 8, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 16, 4, 8, 32, 24, 24, 72, 0, 24
  };

  private static final int IDS = 1 << 16;

  private final BiConsumer<String, String> rejected;
  private final int[][] maps = new int[IDS][];
  private final long[][] exporters = new long[IDS][];
  private FlowBlock block;
  private int row;
  private int given;
  private long receivedMillis;
  private long firstMillis;
  private long lastMillis;
  private long packets;
  private long octets;

  NfdumpRecords(BiConsumer<String, String> rejected) {
    this.rejected = rejected;
  }

  /**
   * Reads a block; returns its fault, empty if there is none. {@code where} is the block's name in
   * rejects.
   */
  String read(ByteBuffer in, String where, Consumer<FlowBlock> out) {
    block = new FlowBlock(FlowBlock.MANY_ROWS);
    given = 0;
    String fault = "";
    int record = 0;
    while (in.remaining() > 0 && fault.isEmpty()) {
      record++;
      int start = in.position();
      int size = in.remaining() < 4 ? 0 : in.getShort(start + 2) & 0xFFFF;
      if (size < 4 || size > in.remaining()) {
        fault =
            "has a record of "
                + size
                + " bytes, but "
                + in.remaining()
                + " bytes left ("
                + record
                + ")";
      } else {
        int type = in.getShort(start) & 0xFFFF;
        ByteBuffer one = in.slice(start + 4, size - 4).order(in.order());
        try {
          record(type, one);
        } catch (BufferUnderflowException e) {
          giveUp("short record", where + ", record " + record);
        } catch (IllegalArgumentException e) {
          giveUp(e.getMessage(), where + ", record " + record);
        }
        in.position(start + size);
        if (block.rows() == FlowBlock.MANY_ROWS) {
          give(out);
          block = new FlowBlock(FlowBlock.MANY_ROWS);
        }
      }
    }
    give(out);
    return fault;
  }

  private void give(Consumer<FlowBlock> out) {
    if (block.rows() > 0) {
      given += block.rows();
      out.accept(block);
    }
  }

  private void giveUp(String reason, String place) {
    block.nullOptional(row, row + 1);
    rejected.accept(reason, place);
  }

  private void record(int type, ByteBuffer in) {
    switch (type) {
      case FLOW_0, FLOW_1 -> flowOfVersion1(type, in);
      case FLOW_2 -> flowOfVersion2(in);
      case MAP -> {
        int id = u16(in);
        in.getShort();
        int[] extensions = new int[in.remaining() / 2];
        int count = 0;
        for (int next = in.remaining() < 2 ? 0 : u16(in);
            next != 0;
            next = in.remaining() < 2 ? 0 : u16(in)) {
          extensions[count++] = next;
        }
        maps[id] = Arrays.copyOf(extensions, count);
      }
      case EXPORTER -> {
        in.getInt(); // version
        long high = in.getLong();
        int third = in.getInt();
        int fourth = in.getInt();
        int family = u16(in);
        int id = u16(in);
        long low =
            in.order() == java.nio.ByteOrder.LITTLE_ENDIAN
                ? (long) fourth << 32 | Integer.toUnsignedLong(third)
                : (long) third << 32 | Integer.toUnsignedLong(fourth);
        exporters[id] =
            family == AF_INET ? new long[] {0L, Addresses.v4Low(fourth)} : new long[] {high, low};
      }
      default -> {
        // statistics, samplers, and extensions of newer releases
      }
    }
  }

  private static int u16(ByteBuffer in) {
    return in.getShort() & 0xFFFF;
  }

  private static int u8(ByteBuffer in) {
    return in.get() & 0xFF;
  }

  private void begin() {
    row = block.rows();
    for (FlowColumn column : FlowColumn.ALL) {
      if (column.optional()) {
        continue;
      }
      if (column.type().isInt()) {
        set(column, FlowBlock.NULL);
      } else if (column.type().isLong()) {
        block.longs(column)[row] = FlowBlock.NULL;
      } else {
        address(column, Addresses.NULL, Addresses.NULL);
      }
    }
    receivedMillis = 0;
    firstMillis = 0;
    lastMillis = 0;
    packets = 0;
    octets = 0;
  }

  private void end() {
    if (packets < 0
        || packets > FlowBounds.MAX_PACKETS
        || octets < 0
        || octets > FlowBounds.MAX_BYTES) {
      throw new IllegalArgumentException("count out of range");
    }
    if (firstMillis < 0
        || lastMillis < 0
        || receivedMillis < 0
        || lastMillis > Long.MAX_VALUE / 1_000
        || firstMillis > Long.MAX_VALUE / 1_000
        || receivedMillis > Long.MAX_VALUE / 1_000) {
      throw new IllegalArgumentException("time out of range");
    }
    block.longs(FlowColumn.TIME)[row] = 1_000 * (receivedMillis > 0 ? receivedMillis : lastMillis);
    if (firstMillis > 0) {
      block.longs(FlowColumn.FLOW_START)[row] = 1_000 * firstMillis;
    }
    if (lastMillis > 0) {
      block.longs(FlowColumn.FLOW_END)[row] = 1_000 * lastMillis;
    }
    block.longs(FlowColumn.PACKETS)[row] = packets;
    block.longs(FlowColumn.BYTES)[row] = octets;
    set(FlowColumn.SAMPLING_RATE, 1);
    block.logIndex()[row] = given + row;
    block.rows(row + 1);
  }

  private void set(FlowColumn column, int value) {
    block.ints(column)[row] = value;
  }

  private void address(FlowColumn column, long high, long low) {
    block.addressHigh(column)[row] = high;
    block.addressLow(column)[row] = low;
  }

  private void v4(FlowColumn column, ByteBuffer in) {
    address(column, 0L, Addresses.v4Low(in.getInt()));
  }

  private void v6(FlowColumn column, ByteBuffer in) {
    long high = in.getLong();
    address(column, high, in.getLong());
  }

  private void mac(FlowColumn column, ByteBuffer in) {
    long mac = in.getLong() & 0xFFFF_FFFF_FFFFL;
    if (mac != 0) {
      block.longs(column)[row] = mac;
    }
  }

  private void exporter(int id) {
    long[] known = exporters[id];
    if (known != null) {
      address(FlowColumn.EXPORTER, known[0], known[1]);
    }
  }

  private void status(int forwarding) {
    if (forwarding != 0) { // null
      set(FlowColumn.FORWARDING_STATUS, forwarding);
    }
  }

  private void ports(int protocol, int source, int destination) {
    boolean isIcmp = protocol == ICMP || protocol == ICMPV6;
    set(FlowColumn.PROTO, protocol);
    set(FlowColumn.SRC_PORT, isIcmp ? destination >> 8 : source);
    set(FlowColumn.DST_PORT, isIcmp ? destination & 0xFF : destination);
  }

  private void etherType(boolean isV6) {
    set(FlowColumn.ETHER_TYPE, isV6 ? 0x86DD : 0x0800);
  }

  private void flowOfVersion1(int type, ByteBuffer in) {
    begin();
    int flags = type == FLOW_1 ? u16(in) : u8(in);
    if (type == FLOW_0) {
      exporter(u8(in));
    }
    int[] map = maps[u16(in)];
    int firstMillisOfSecond = u16(in);
    int lastMillisOfSecond = u16(in);
    firstMillis = Integer.toUnsignedLong(in.getInt()) * 1_000 + firstMillisOfSecond;
    lastMillis = Integer.toUnsignedLong(in.getInt()) * 1_000 + lastMillisOfSecond;
    status(u8(in));
    set(FlowColumn.TCP_FLAGS, u8(in));
    int protocol = u8(in);
    set(FlowColumn.TOS, u8(in));
    int source = u16(in);
    ports(protocol, source, u16(in));
    if (type == FLOW_1) {
      exporter(u16(in));
      in.getShort(); // direction of biflows, reason of the end
    }
    boolean isV6 = (flags & IPV6) != 0;
    etherType(isV6);
    if (isV6) {
      v6(FlowColumn.SRC_ADDR, in);
      v6(FlowColumn.DST_ADDR, in);
    } else {
      v4(FlowColumn.SRC_ADDR, in);
      v4(FlowColumn.DST_ADDR, in);
    }
    packets = (flags & PACKETS_64) != 0 ? in.getLong() : Integer.toUnsignedLong(in.getInt());
    octets = (flags & BYTES_64) != 0 ? in.getLong() : Integer.toUnsignedLong(in.getInt());
    if (map == null) {
      throw new IllegalArgumentException("missing extension map");
    }
    for (int extension : map) {
      if (extension >= 1 && extension <= 3) {
        continue; // addresses, packets, bytes: read above
      }
      int size = extension < SIZES.length ? SIZES[extension] : 0;
      if (size == 0) {
        break; // the offset of the next one is unknown
      }
      if (size > in.remaining()) {
        throw new BufferUnderflowException();
      }
      ByteBuffer one = in.slice(in.position(), size).order(in.order());
      in.position(in.position() + size);
      extension(extension, one);
    }
    end();
  }

  private void extension(int extension, ByteBuffer in) {
    switch (extension) {
      case 4 -> {
        set(FlowColumn.IN_IF, u16(in));
        set(FlowColumn.OUT_IF, u16(in));
      }
      case 5 -> interfaces(in);
      case 6 -> {
        set(FlowColumn.EXPORTER_SRC_AS, u16(in));
        set(FlowColumn.EXPORTER_DST_AS, u16(in));
      }
      case 7 -> systems(in);
      case 8 -> {
        in.get(); // reverse type of service
        set(FlowColumn.DIRECTION, u8(in));
        set(FlowColumn.SRC_MASK, u8(in));
        set(FlowColumn.DST_MASK, u8(in));
      }
      case 9 -> v4(FlowColumn.NEXT_HOP, in);
      case 10 -> v6(FlowColumn.NEXT_HOP, in);
      case 13 -> vlans(u16(in), u16(in));
      case 20 -> mac(FlowColumn.SRC_MAC, in);
      case 21 -> mac(FlowColumn.DST_MAC, in);
      case 22 -> label(in);
      case 23 -> v4(FlowColumn.EXPORTER, in);
      case 24 -> v6(FlowColumn.EXPORTER, in);
      case 27 -> receivedMillis = in.getLong();
      case 38 -> natPorts(in);
      case 39 -> {
        v4(FlowColumn.NAT_SRC_ADDR, in);
        v4(FlowColumn.NAT_DST_ADDR, in);
      }
      case 40 -> {
        v6(FlowColumn.NAT_SRC_ADDR, in);
        v6(FlowColumn.NAT_DST_ADDR, in);
      }
      default -> {
        // no column
      }
    }
  }

  private void interfaces(ByteBuffer in) {
    set(FlowColumn.IN_IF, in.getInt());
    set(FlowColumn.OUT_IF, in.getInt());
  }

  private void systems(ByteBuffer in) {
    set(FlowColumn.EXPORTER_SRC_AS, in.getInt());
    set(FlowColumn.EXPORTER_DST_AS, in.getInt());
  }

  private void vlans(int source, int destination) {
    if (source != 0) {
      set(FlowColumn.SRC_VLAN, source & 0xFFFF);
    }
    if (destination != 0) {
      set(FlowColumn.DST_VLAN, destination & 0xFFFF);
    }
  }

  private void label(ByteBuffer in) {
    int top = in.getInt();
    if (top != 0) {
      set(FlowColumn.MPLS_LABEL, top >>> 4 & 0xF_FFFF);
    }
  }

  private void natPorts(ByteBuffer in) {
    set(FlowColumn.NAT_SRC_PORT, u16(in));
    set(FlowColumn.NAT_DST_PORT, u16(in));
  }

  private void flowOfVersion2(ByteBuffer in) {
    begin();
    int elements = u16(in);
    in.getShort(); // type and number of the engine
    exporter(u16(in));
    in.getShort(); // flags, version of NetFlow
    boolean hasCounts = false;
    for (int left = elements; left > 0; left--) {
      int start = in.position();
      int type = u16(in);
      int length = u16(in);
      if (length < 4 || length > in.limit() - start) {
        throw new BufferUnderflowException();
      }
      ByteBuffer one = in.slice(start + 4, length - 4).order(in.order());
      in.position(start + length);
      hasCounts |= type == 1;
      element(type, one);
    }
    if (!hasCounts) {
      throw new IllegalArgumentException("not a flow");
    }
    end();
  }

  private void element(int type, ByteBuffer in) {
    switch (type) {
      case 1 -> {
        firstMillis = in.getLong();
        lastMillis = in.getLong();
        receivedMillis = in.getLong();
        packets = in.getLong();
        octets = in.getLong();
        int source = u16(in);
        int destination = u16(in);
        ports(u8(in), source, destination);
        set(FlowColumn.TCP_FLAGS, u8(in));
        status(u8(in));
        set(FlowColumn.TOS, u8(in));
      }
      case 2 -> {
        etherType(false);
        v4(FlowColumn.SRC_ADDR, in);
        v4(FlowColumn.DST_ADDR, in);
      }
      case 3 -> {
        etherType(true);
        v6(FlowColumn.SRC_ADDR, in);
        v6(FlowColumn.DST_ADDR, in);
      }
      case 4 -> {
        interfaces(in);
        set(FlowColumn.SRC_MASK, u8(in));
        set(FlowColumn.DST_MASK, u8(in));
        set(FlowColumn.DIRECTION, u8(in));
      }
      case 6 -> vlans(in.getInt(), in.getInt());
      case 7 -> systems(in);
      case 10 -> v4(FlowColumn.NEXT_HOP, in);
      case 11 -> v6(FlowColumn.NEXT_HOP, in);
      case 12 -> v4(FlowColumn.EXPORTER, in);
      case 13 -> v6(FlowColumn.EXPORTER, in);
      case 14 -> label(in);
      case 15 -> {
        mac(FlowColumn.SRC_MAC, in);
        in.getLong(); // destination, egress
        mac(FlowColumn.DST_MAC, in);
      }
      default -> {
        // no column
      }
    }
  }
}
