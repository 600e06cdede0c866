package io.millrace.wire.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/**
 * Captured packets with their metadata: one value of the log.
 *
 * <p>The format is the same in memory, in the log and between processes, so nothing is copied or
 * parsed before a packet is accessed. All numbers are big-endian:
 *
 * <pre>
 *   0      2     3    4       8
 *   +------+-----+----+-------+-------+---------+---------+------------+-------+------------------
 *   | "MP" | ver | 0  | count | times | offsets | lengths | interfaces | links | bytes of packets
 *   |      | 1   |    | = n   | n × 8 | (n+1)×4 | n × 4   | n × 4      | n × 2 |
 *   +------+-----+----+-------+-------+---------+---------+------------+-------+------------------
 *   times:      of capture, µs since the epoch
 *   offsets:    start of each packet in the value; the one after the last is the value's end
 *   lengths:    on the wire, in bytes, unsigned; larger than captured if truncated
 *   interfaces: number in the capture or of the system, 0 if there is only one
 *   links:      link type in pcap's registry ({@link
 *               io.millrace.wire.packet.LinkType#of})
 * </pre>
 *
 * Blocks are always valid: each packet is within the value. Written by {@link Writer}. Immutable
 * unless {@link #bytes} is modified.
 */
public final class PacketBlock implements Selectable<PacketBlock> {
  /** Family of these blocks. */
  public static final BlockFamily<PacketBlock> FAMILY =
      new BlockFamily<>(
          5,
          "packet-block",
          PacketBlock.class,
          (block, out) -> out.put(block.bytes, 0, block.length()),
          PacketBlock::read);

  /** Bytes of a value without packets. */
  public static final int HEADER_LENGTH = 12;

  /** Metadata bytes of a packet. */
  public static final int PACKET_HEADER_LENGTH = 22;

  private static final int MAGIC = ('M' << 24) | ('P' << 16) | (1 << 8);
  private static final int COUNT_OFFSET = 4;
  private static final int TIMES_OFFSET = 8;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

  private final byte[] bytes;
  private final int rows;
  private final int offsets;
  private final int lengths;
  private final int interfaces;
  private final int links;

  private PacketBlock(byte[] bytes, int rows) {
    this.bytes = bytes;
    this.rows = rows;
    offsets = TIMES_OFFSET + rows * Long.BYTES;
    lengths = offsets + (rows + 1) * Integer.BYTES;
    interfaces = lengths + rows * Integer.BYTES;
    links = interfaces + rows * Integer.BYTES;
  }

  /**
   * A view of any value of the log; the bytes are not copied.
   *
   * @return empty if the value is malformed or of a newer release
   */
  public static Optional<PacketBlock> wrap(byte[] value) {
    return wrap(value, value.length);
  }

  /** {@link #wrap(byte[])} for the first {@code length} bytes. */
  public static Optional<PacketBlock> wrap(byte[] value, int length) {
    if (length < HEADER_LENGTH || (int) INT.get(value, 0) != MAGIC) {
      return Optional.empty();
    }
    int count = (int) INT.get(value, COUNT_OFFSET);
    if (count < 0 || count > (length - HEADER_LENGTH) / PACKET_HEADER_LENGTH) {
      return Optional.empty();
    }
    PacketBlock block = new PacketBlock(value, count);
    int start = HEADER_LENGTH + count * PACKET_HEADER_LENGTH;
    if (block.start(0) != start) {
      return Optional.empty();
    }
    for (int row = 0; row < count; row++) {
      int end = block.end(row);
      if (end < start) {
        return Optional.empty();
      }
      start = end;
    }
    return start == length ? Optional.of(block) : Optional.empty();
  }

  private static PacketBlock read(BlockInput in) {
    int length = in.remaining();
    int start = in.take(length);
    return wrap(Arrays.copyOfRange(in.bytes(), start, start + length))
        .orElseThrow(() -> in.broken("not a block of packets"));
  }

  @Override
  public int rows() {
    return rows;
  }

  /** The value, not a copy; only the first {@link #length()} bytes belong to it. */
  public byte[] bytes() {
    return bytes;
  }

  /** Length of the value in bytes. */
  public int length() {
    return start(rows);
  }

  /** Capture time of the packet, microseconds since the epoch. */
  public long time(int row) {
    return (long) LONG.get(bytes, TIMES_OFFSET + row * Long.BYTES);
  }

  /** Start of the packet's bytes in {@link #bytes()}. */
  public int start(int row) {
    return (int) INT.get(bytes, offsets + row * Integer.BYTES);
  }

  /** End of the packet's bytes, exclusive. */
  public int end(int row) {
    return start(row + 1);
  }

  /** Length of the packet on the wire in bytes, 0 to 2³²−1. */
  public long wireLength(int row) {
    return (int) INT.get(bytes, lengths + row * Integer.BYTES) & 0xFFFF_FFFFL;
  }

  /** Bytes of all packets on the wire. */
  public long wireBytes() {
    long sum = 0;
    for (int row = 0; row < rows; row++) {
      sum += wireLength(row);
    }
    return sum;
  }

  /** Number of the interface, 0 if there is only one. */
  public int interfaceNumber(int row) {
    return (int) INT.get(bytes, interfaces + row * Integer.BYTES);
  }

  /** Number of the link type, 0 to 65,535. */
  public int linkNumber(int row) {
    return (short) SHORT.get(bytes, links + row * Short.BYTES) & 0xFFFF;
  }

  @Override
  public PacketBlock select(int[] selected, int count) {
    Writer writer = new Writer();
    for (int i = 0; i < count; i++) {
      int row = selected[i];
      writer.add(
          time(row),
          linkNumber(row),
          interfaceNumber(row),
          wireLength(row),
          bytes,
          start(row),
          end(row) - start(row));
    }
    return writer.toBlock();
  }

  /** Builds a block packet by packet; reusable after {@link #clear}. Not thread-safe. */
  public static final class Writer {
    private long[] times = new long[64];
    private int[] ends = new int[64];
    private int[] lengths = new int[64];
    private int[] interfaces = new int[64];
    private short[] links = new short[64];
    private byte[] packets = new byte[1 << 10];
    private int count;

    /** A writer. */
    public Writer() {}

    /** Number of packets added since the last {@link #clear}. */
    public int rows() {
      return count;
    }

    /** Current length of the value in bytes. */
    public int length() {
      return HEADER_LENGTH + count * PACKET_HEADER_LENGTH + packetBytes();
    }

    private int packetBytes() {
      return count == 0 ? 0 : ends[count - 1];
    }

    /**
     * Adds a packet.
     *
     * @param time of capture, microseconds since the epoch
     * @param linkNumber of the link type
     * @param interfaceNumber of the interface
     * @param wireLength bytes of the packet on the wire, 0 to 2³²−1
     * @param source holds the packet
     * @param offset start of the packet
     * @param length captured bytes
     * @throws ArithmeticException if the value would reach 2 GiB
     */
    public void add(
        long time,
        int linkNumber,
        int interfaceNumber,
        long wireLength,
        byte[] source,
        int offset,
        int length) {
      int start = place(time, linkNumber, interfaceNumber, wireLength, length);
      System.arraycopy(source, offset, packets, start, length);
    }

    /** Adds a packet from a buffer, at an absolute offset. */
    public void add(
        long time,
        int linkNumber,
        int interfaceNumber,
        long wireLength,
        ByteBuffer source,
        int offset,
        int length) {
      int start = place(time, linkNumber, interfaceNumber, wireLength, length);
      source.get(offset, packets, start, length);
    }

    /** Adds a packet's metadata and returns the offset of its bytes. */
    private int place(long time, int linkNumber, int interfaceNumber, long wireLength, int length) {
      var unused = Math.addExact(length() + PACKET_HEADER_LENGTH, length);
      int start = packetBytes();
      if (start + length > packets.length) {
        long doubled = Math.min(packets.length * 2L, Integer.MAX_VALUE - 8);
        packets = Arrays.copyOf(packets, (int) Math.max(start + length, doubled));
      }
      if (count == times.length) {
        grow();
      }
      times[count] = time;
      ends[count] = start + length;
      lengths[count] = (int) wireLength;
      interfaces[count] = interfaceNumber;
      links[count] = (short) linkNumber;
      count++;
      return start;
    }

    private void grow() {
      int capacity = count * 2;
      times = Arrays.copyOf(times, capacity);
      ends = Arrays.copyOf(ends, capacity);
      lengths = Arrays.copyOf(lengths, capacity);
      interfaces = Arrays.copyOf(interfaces, capacity);
      links = Arrays.copyOf(links, capacity);
    }

    /** The packets as a value of the log. */
    public byte[] toBytes() {
      return toBlock().bytes();
    }

    /** The packets as a block; copies them. */
    public PacketBlock toBlock() {
      byte[] value = new byte[length()];
      INT.set(value, 0, MAGIC);
      INT.set(value, COUNT_OFFSET, count);
      PacketBlock block = new PacketBlock(value, count);
      int first = HEADER_LENGTH + count * PACKET_HEADER_LENGTH;
      INT.set(value, block.offsets, first);
      for (int row = 0; row < count; row++) {
        LONG.set(value, TIMES_OFFSET + row * Long.BYTES, times[row]);
        INT.set(value, block.offsets + (row + 1) * Integer.BYTES, first + ends[row]);
        INT.set(value, block.lengths + row * Integer.BYTES, lengths[row]);
        INT.set(value, block.interfaces + row * Integer.BYTES, interfaces[row]);
        SHORT.set(value, block.links + row * Short.BYTES, links[row]);
      }
      System.arraycopy(packets, 0, value, first, packetBytes());
      return block;
    }

    /** Clears the packets and keeps the memory. */
    public void clear() {
      count = 0;
    }
  }
}
