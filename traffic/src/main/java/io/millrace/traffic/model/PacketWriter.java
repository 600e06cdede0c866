package io.millrace.traffic.model;

import static io.millrace.wire.packet.BigEndian.put16;
import static io.millrace.wire.packet.BigEndian.put32;
import static io.millrace.wire.packet.BigEndian.put64;

/**
 * Writes the first bytes of an Ethernet frame, as sampled by a switch.
 *
 * <pre>
 *   0                 6                 12         14/18        34/38 or 54/58
 *   +-----------------+-----------------+----------+------------+--------------------+---------+
 *   | MAC of the next | MAC of the      | 802.1Q   | IPv4 or    | TCP, UDP, ICMP     | payload |
 *   | member's router | member's router | or none  | IPv6       |                    |         |
 *   +-----------------+-----------------+----------+------------+--------------------+---------+
 * </pre>
 *
 * The payload is random like that of TLS and QUIC, so that a compressed log is not smaller than a
 * real one. IPv4's checksum is correct; so is that of TCP, UDP and ICMP if the whole packet is in
 * the sample, else it is random. Not thread-safe.
 */
public final class PacketWriter {
  private static final int ETHER_IPV4 = 0x0800;
  private static final int ETHER_IPV6 = 0x86DD;
  private static final int ETHER_VLAN = 0x8100;
  private static final int ETHERNET_LENGTH = 14;
  private static final int TAG_LENGTH = 4;
  private static final int MIN_FRAME = 60; // without the check sequence (IEEE 802.3)
  private static final int IPV4_LENGTH = 20;
  private static final int IPV6_LENGTH = 40;
  private static final long LOCAL_MAC = 0x0200_0000_0000L; // locally administered, unicast

  /** Bytes of the check sequence, which is on the wire but not in a sample. */
  public static final int CHECK_SEQUENCE = 4;

  private final SplitMix noise;

  public PacketWriter(long seed) {
    noise = new SplitMix(seed);
  }

  /** Length of the frame on the wire without its check sequence. */
  public static int frameLength(Packet packet, boolean tagged) {
    int tag = tagged ? TAG_LENGTH : 0;
    return Math.max(MIN_FRAME + tag, ETHERNET_LENGTH + tag + packet.ipLength);
  }

  /**
   * Writes the start of the frame.
   *
   * @param vlan the tag's VLAN, or -1 for no tag
   * @param out receives the bytes from {@code at} on; padding after the packet must already be zero
   * @param length bytes of the sample, at least 80 or the whole frame
   */
  public void write(Packet packet, int vlan, byte[] out, int at, int length) {
    put64(out, at, (LOCAL_MAC | packet.dstNetwork + 1) << 16 | LOCAL_MAC >>> 32);
    put32(out, at + 8, packet.srcNetwork + 1);
    int ip = at + ETHERNET_LENGTH;
    if (vlan >= 0) {
      put16(out, at + 12, ETHER_VLAN);
      put16(out, at + 14, vlan);
      ip += TAG_LENGTH;
    }
    put16(out, ip - 2, packet.v6 ? ETHER_IPV6 : ETHER_IPV4);
    int visibleEnd = Math.min(at + length, ip + packet.ipLength);
    int transport = packet.v6 ? ipv6(packet, out, ip) : ipv4(packet, out, ip);
    int transportLength = packet.ipLength - (transport - ip);
    int payload = transport(packet, out, transport, transportLength, visibleEnd);
    fill(out, payload, visibleEnd);
    if (ip + packet.ipLength == visibleEnd) {
      checksum(packet, out, transport, transportLength);
    }
  }

  private int ipv4(Packet packet, byte[] out, int ip) {
    put16(out, ip, 0x4500 | packet.tos);
    put16(out, ip + 2, packet.ipLength);
    int id = (int) noise.next() & 0xFFFF;
    put16(out, ip + 4, id);
    put16(out, ip + 6, 0x4000); // do not fragment
    put16(out, ip + 8, packet.hopLimit << 8 | packet.protocol);
    int src = (int) packet.srcLow;
    int dst = (int) packet.dstLow;
    put32(out, ip + 12, src);
    put32(out, ip + 16, dst);
    int sum =
        (0x4500 | packet.tos)
            + packet.ipLength
            + id
            + 0x4000
            + (packet.hopLimit << 8 | packet.protocol)
            + (src >>> 16)
            + (src & 0xFFFF)
            + (dst >>> 16)
            + (dst & 0xFFFF);
    put16(out, ip + 10, ~folded(sum));
    return ip + IPV4_LENGTH;
  }

  private static int ipv6(Packet packet, byte[] out, int ip) {
    put32(out, ip, 6 << 28 | packet.tos << 20);
    put16(out, ip + 4, packet.ipLength - IPV6_LENGTH);
    put16(out, ip + 6, packet.protocol << 8 | packet.hopLimit);
    put64(out, ip + 8, packet.srcHigh);
    put64(out, ip + 16, packet.srcLow);
    put64(out, ip + 24, packet.dstHigh);
    put64(out, ip + 32, packet.dstLow);
    return ip + IPV6_LENGTH;
  }

  private int transport(Packet packet, byte[] out, int at, int length, int visibleEnd) {
    long bits = noise.next();
    switch (packet.protocol) {
      case IpProtocol.TCP -> {
        put16(out, at, packet.srcPort);
        put16(out, at + 2, packet.dstPort);
        put32(out, at + 4, (int) bits); // sequence number
        boolean acknowledges = (packet.tcpFlags & TcpFlags.ACK) != 0;
        put32(out, at + 8, acknowledges ? (int) (bits >>> 32) : 0);
        put16(out, at + 14, (int) (bits >>> 16) | 0x0400); // window
        put16(out, at + 16, (int) (bits >>> 40)); // checksum
        // Options if they fit: timestamps after two no-operations (RFC 7323 appendix A).
        int room = Math.min(length, visibleEnd - at);
        boolean stamps = length >= 32 && room >= 32;
        put16(out, at + 12, (stamps ? 0x8000 : 0x5000) | packet.tcpFlags);
        put16(out, at + 18, 0);
        if (!stamps) {
          return at + 20;
        }
        put32(out, at + 20, 0x0101_080A);
        put64(out, at + 24, bits);
        return at + 32;
      }
      case IpProtocol.UDP -> {
        put16(out, at, packet.srcPort);
        put16(out, at + 2, packet.dstPort);
        put16(out, at + 4, length);
        put16(out, at + 6, (int) bits | 1); // 0 would mean no checksum
        return at + 8;
      }
      default -> { // echo request or reply, of ICMP or ICMPv6
        put16(out, at, packet.srcPort << 8 | packet.dstPort);
        put16(out, at + 2, 0);
        put32(out, at + 4, (int) bits); // identifier and sequence number
        return at + 8;
      }
    }
  }

  private void fill(byte[] out, int from, int to) {
    int at = from;
    for (; at + 8 <= to; at += 8) {
      put64(out, at, noise.next());
    }
    for (long bits = noise.next(); at < to; at++, bits >>>= 8) {
      out[at] = (byte) bits;
    }
  }

  /** The internet checksum over pseudo-header, transport header and payload (RFC 1071). */
  private static void checksum(Packet packet, byte[] out, int at, int length) {
    int field =
        at
            + switch (packet.protocol) {
              case IpProtocol.TCP -> 16;
              case IpProtocol.UDP -> 6;
              default -> 2;
            };
    put16(out, field, 0);
    long sum = 0;
    if (packet.protocol != IpProtocol.ICMP) {
      sum = (long) packet.protocol + length;
      if (packet.v6) {
        sum += halves(packet.srcHigh) + halves(packet.dstHigh);
        sum += halves(packet.srcLow) + halves(packet.dstLow);
      } else {
        sum += halves(packet.srcLow & 0xFFFF_FFFFL) + halves(packet.dstLow & 0xFFFF_FFFFL);
      }
    }
    int end = at + length;
    int i = at;
    for (; i + 2 <= end; i += 2) {
      sum += (out[i] & 255) << 8 | (out[i + 1] & 255);
    }
    if (i < end) {
      sum += (out[i] & 255) << 8;
    }
    int checksum = ~folded((int) sum) & 0xFFFF;
    put16(out, field, checksum == 0 && packet.protocol == IpProtocol.UDP ? 0xFFFF : checksum);
  }

  private static long halves(long value) {
    return (value >>> 32) % 0xFFFF + (value & 0xFFFF_FFFFL) % 0xFFFF;
  }

  private static int folded(int sum) {
    int once = (sum >>> 16) + (sum & 0xFFFF);
    return ((once >>> 16) + once) & 0xFFFF;
  }
}
