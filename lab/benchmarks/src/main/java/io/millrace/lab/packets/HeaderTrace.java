package io.millrace.lab.packets;

import io.millrace.lab.hitters.Zipf;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.BigEndian;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Packet headers in memory, Ethernet to TCP or UDP, with Zipf-distributed flows, a mean length of
 * 409 bytes as in the published trace, and exact counts by protocol. Immutable.
 */
final class HeaderTrace {
  static final int TCP = 6;
  static final int UDP = 17;

  private static final int FLOWS = 1_000_000;
  private static final int TCP_LENGTH = 54;
  private static final int UDP_LENGTH = 42;
  private static final int ETHERNET_LENGTH = 14;
  private static final int TUNNEL_LENGTH = 36;
  private static final int GTP_PORT = 2152;
  private static final int BLOCK_BYTES = 1 << 20;
  private static final long START = 1_700_000_000_000_000L;
  private static final long MICROS_A_PACKET = 4;
  private static final int LINK_ETHERNET = 1;

  /** Lengths on the wire, equally likely; the mean is 409. */
  private static final int[] LENGTHS = {64, 64, 64, 64, 64, 64, 576, 576, 1277, 1277};

  private final List<PacketBlock> blocks;
  private final long packets;
  private final long headerBytes;
  private final Totals truth;

  private record Part(PacketBlock block, Totals truth, long headerBytes) {}

  /** Generates about {@code headerBytes} bytes of headers, at least one block. */
  HeaderTrace(long headerBytes, long seed) {
    this(headerBytes, seed, false);
  }

  /** Generates headers; if tunnelled, each packet is GTP-U and the flows are inside. */
  HeaderTrace(long headerBytes, long seed, boolean isTunnelled) {
    Zipf zipf = new Zipf(FLOWS);
    int longest = TCP_LENGTH + (isTunnelled ? TUNNEL_LENGTH : 0);
    int rows = BLOCK_BYTES / (longest + PacketBlock.PACKET_HEADER_LENGTH);
    int count = (int) Math.max(1, headerBytes / ((long) rows * (longest - 2)));
    List<Part> parts =
        IntStream.range(0, count)
            .parallel()
            .mapToObj(i -> part(zipf, i, rows, isTunnelled, new SplittableRandom(seed + i)))
            .toList();
    blocks = parts.stream().map(Part::block).toList();
    packets = blocks.stream().mapToLong(PacketBlock::rows).sum();
    this.headerBytes = parts.stream().mapToLong(Part::headerBytes).sum();
    truth = new Totals();
    parts.forEach(part -> truth.add(part.truth(), 1));
  }

  private static Part part(
      Zipf zipf, int number, int rows, boolean isTunnelled, SplittableRandom random) {
    PacketBlock.Writer writer = new PacketBlock.Writer();
    Totals truth = new Totals();
    byte[] header = new byte[TCP_LENGTH];
    byte[] tunnelled = new byte[TUNNEL_LENGTH + TCP_LENGTH];
    long headerBytes = 0;
    for (int i = 0; i < rows; i++) {
      long flow = mix(zipf.next(random) + 1L);
      int protocol = (flow & 7) == 0 ? UDP : TCP;
      int wire = LENGTHS[random.nextInt(LENGTHS.length)];
      int length = write(header, flow, protocol, wire);
      long time = START + ((long) number * rows + i) * MICROS_A_PACKET;
      if (isTunnelled) {
        wire += TUNNEL_LENGTH;
        length = tunnel(header, length, tunnelled, flow, wire);
      }
      writer.add(time, LINK_ETHERNET, 0, wire, isTunnelled ? tunnelled : header, 0, length);
      truth.add(protocol, 1, wire);
      headerBytes += length;
    }
    return new Part(writer.toBlock(), truth, headerBytes);
  }

  private static int write(byte[] header, long flow, int protocol, int wire) {
    long other = mix(flow);
    BigEndian.put16(header, 12, 0x0800);
    header[14] = 0x45;
    BigEndian.put16(header, 16, wire - 14);
    header[22] = 64;
    header[23] = (byte) protocol;
    BigEndian.put32(header, 26, (int) flow);
    BigEndian.put32(header, 30, (int) (flow >>> 32));
    BigEndian.put16(header, 34, (int) other);
    BigEndian.put16(header, 36, (int) (other >>> 16));
    BigEndian.put32(header, 38, (int) (other >>> 32));
    header[46] = (byte) (protocol == TCP ? 0x50 : 0);
    return protocol == TCP ? TCP_LENGTH : UDP_LENGTH;
  }

  /** Inserts IP, UDP and GTP-U (TS 29.281 section 5.1) between Ethernet and the packet's IP. */
  private static int tunnel(byte[] header, int length, byte[] to, long flow, int wire) {
    System.arraycopy(header, 0, to, 0, ETHERNET_LENGTH);
    to[14] = 0x45;
    BigEndian.put16(to, 16, wire - ETHERNET_LENGTH);
    to[22] = 64;
    to[23] = UDP;
    BigEndian.put32(to, 26, 0x0A000001);
    BigEndian.put32(to, 30, 0x0A000002);
    BigEndian.put16(to, 34, GTP_PORT);
    BigEndian.put16(to, 36, GTP_PORT);
    BigEndian.put16(to, 38, wire - ETHERNET_LENGTH - 20);
    to[42] = 0x30; // version 1, GTP, no optional fields
    to[43] = (byte) 0xFF; // G-PDU, a user's packet
    BigEndian.put16(to, 44, wire - ETHERNET_LENGTH - TUNNEL_LENGTH);
    BigEndian.put32(to, 46, (int) flow);
    System.arraycopy(
        header, ETHERNET_LENGTH, to, ETHERNET_LENGTH + TUNNEL_LENGTH, length - ETHERNET_LENGTH);
    return length + TUNNEL_LENGTH;
  }

  /** A bijection: the finaliser of MurmurHash3 with Stafford's constants. */
  private static long mix(long z) {
    long mixed = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return mixed ^ (mixed >>> 31);
  }

  /** The packets, in blocks of about 1 MiB. */
  List<PacketBlock> blocks() {
    return blocks;
  }

  long packets() {
    return packets;
  }

  long headerBytes() {
    return headerBytes;
  }

  /** Expected counts of a round. */
  Totals truth() {
    return truth;
  }
}
