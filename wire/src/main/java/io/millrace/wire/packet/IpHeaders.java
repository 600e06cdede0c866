package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.i64;
import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u32;
import static io.millrace.wire.packet.BigEndian.u8;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;

abstract sealed class IpHeaders permits LinkHeaders {
  byte[] bytes = {};
  int end;
  int protocol;
  int transport;

  /** End of the packet on the wire, as an offset into {@link #bytes}. */
  long wireEnd;

  boolean isComplete;

  int layers;

  PacketReject reject;

  private int ip;
  private long length;
  private boolean isV6;
  private int fragment;

  final boolean reject(PacketReject why) {
    reject = why;
    return false;
  }

  final boolean ipv4(int at, int to) {
    if (to - at < PacketLayout.IPV4_LENGTH) {
      return reject(PacketReject.CUT_IP_HEADER);
    }
    int first = u8(bytes, at);
    int headerLength = (first & 15) * 4;
    if (first >>> 4 != 4 || headerLength < PacketLayout.IPV4_LENGTH) {
      return reject(PacketReject.BAD_IP_HEADER);
    }
    int total = u16(bytes, at + PacketLayout.IPV4_TOTAL_LENGTH_OFFSET);
    ip = at;
    isV6 = false;
    length = total != 0 ? bounded(total, at, to) : onWire(at, to);
    end = total != 0 ? Math.min(to, at + total) : to;
    protocol = u8(bytes, at + PacketLayout.IPV4_PROTOCOL_OFFSET);
    fragment = u16(bytes, at + PacketLayout.IPV4_FRAGMENT_OFFSET);
    boolean hasTransport = (fragment & PacketLayout.IPV4_FRAGMENT_MASK) == 0;
    transport = hasTransport ? Math.min(at + headerLength, end) : end;
    if (protocol == PacketLayout.AH && hasTransport) {
      extensions(transport, protocol); // RFC 4302 section 2: same header as in IPv6
    }
    layers++;
    return true;
  }

  /** End of the packet, limited to its carrier, whatever the length field says. */
  private long bounded(long declared, int at, int to) {
    return isComplete ? Math.min(declared, to - at) : declared;
  }

  private long onWire(int at, int to) {
    return Math.max(wireEnd - at, to - at);
  }

  final boolean ipv6(int at, int to) {
    if (to - at < PacketLayout.IPV6_LENGTH) {
      return reject(PacketReject.CUT_IP_HEADER);
    }
    if (u8(bytes, at) >>> 4 != 6) {
      return reject(PacketReject.BAD_IP_HEADER);
    }
    int payload = u16(bytes, at + PacketLayout.IPV6_PAYLOAD_LENGTH_OFFSET);
    int next = u8(bytes, at + PacketLayout.IPV6_NEXT_OFFSET);
    int body = at + PacketLayout.IPV6_LENGTH;
    ip = at;
    isV6 = true;
    fragment = 0;
    if (payload != 0 || next == PacketLayout.NO_NEXT_HEADER) {
      length = bounded((long) PacketLayout.IPV6_LENGTH + payload, at, to);
      end = Math.min(to, body + payload);
    } else {
      long jumbo = next == PacketLayout.HOP_BY_HOP ? jumboLength(body, to) : 0;
      length = jumbo != 0 ? bounded(PacketLayout.IPV6_LENGTH + jumbo, at, to) : onWire(at, to);
      end = to;
    }
    extensions(body, next);
    layers++;
    return true;
  }

  private void extensions(int from, int first) {
    int at = from;
    int next = first;
    while (isV6 ? PacketLayout.isExtension(next) : next == PacketLayout.AH) {
      if (end - at < 2) {
        upper(FlowBlock.NULL, end);
        return;
      }
      int header = next;
      int start = at;
      int units = u8(bytes, at + PacketLayout.EXTENSION_LENGTH_OFFSET);
      next = u8(bytes, at);
      at += PacketLayout.EXTENSION_UNIT;
      if (header == PacketLayout.AH) {
        at += units * PacketLayout.AH_UNIT;
      } else if (header != PacketLayout.FRAGMENT) {
        at += units * PacketLayout.EXTENSION_UNIT;
      } else if (at <= end) {
        fragment = u16(bytes, start + PacketLayout.FRAGMENT_OFFSET_OFFSET);
        if ((fragment & PacketLayout.FRAGMENT_OFFSET_MASK) != 0) {
          // Only the first fragment has a transport header.
          upper(PacketLayout.isExtension(next) ? FlowBlock.NULL : next, end);
          return;
        }
      }
    }
    upper(next, Math.min(at, end));
  }

  private void upper(int protocol, int at) {
    this.protocol = protocol;
    transport = at;
  }

  /** The jumbo payload option's length, 0 if absent. */
  private long jumboLength(int at, int to) {
    if (to - at < 2) {
      return 0;
    }
    int units = u8(bytes, at + PacketLayout.EXTENSION_LENGTH_OFFSET);
    int optionsEnd =
        Math.min(to, at + PacketLayout.EXTENSION_UNIT + units * PacketLayout.EXTENSION_UNIT);
    int option = at + PacketLayout.OPTION_OFFSET;
    while (optionsEnd - option >= 2) {
      int kind = u8(bytes, option);
      if (kind == PacketLayout.OPTION_JUMBO && optionsEnd - option >= 6) {
        return u32(bytes, option + 2);
      }
      option += kind == PacketLayout.OPTION_PAD1 ? 1 : 2 + u8(bytes, option + 1);
    }
    return 0;
  }

  /** Number of IP layers up to this one, from 1. */
  public int layers() {
    return layers;
  }

  /** Array with the packet. */
  public byte[] bytes() {
    return bytes;
  }

  /** Offset of the IP header. */
  public int ip() {
    return ip;
  }

  /** End of the captured bytes of the IP packet, exclusive, without padding. */
  public int end() {
    return end;
  }

  /** Whether the layer is IPv6 rather than IPv4. */
  public boolean isV6() {
    return isV6;
  }

  /**
   * Length in bytes of the IP packet with its header, by its length field, but at most the length
   * on the wire.
   */
  public long length() {
    return length;
  }

  /** Type of service or traffic class. */
  public int tos() {
    return isV6 ? i32(bytes, ip) >>> 20 & 0xFF : u8(bytes, ip + PacketLayout.IPV4_TOS_OFFSET);
  }

  /** Protocol after IP and its extension headers; {@link FlowBlock#NULL} if truncated. */
  public int protocol() {
    return protocol;
  }

  /** Offset of that protocol's header; {@link #end} if absent. */
  public int transport() {
    return transport;
  }

  /** Offset of the payload of TCP or UDP; {@link #end} if there is none. */
  public int payload() {
    int header =
        switch (protocol) {
          case PacketLayout.UDP -> PacketLayout.UDP_LENGTH;
          case PacketLayout.TCP ->
              end - transport > PacketLayout.TCP_FLAGS_OFFSET
                  ? (u8(bytes, transport + PacketLayout.TCP_FLAGS_OFFSET) >>> 4) * 4
                  : Integer.MAX_VALUE;
          default -> Integer.MAX_VALUE;
        };
    return header >= end - transport ? end : transport + header;
  }

  /** Whether the packet is a fragment. */
  public boolean isFragment() {
    return isV6
        ? (fragment & (PacketLayout.FRAGMENT_OFFSET_MASK | PacketLayout.FRAGMENT_MORE)) != 0
        : (fragment & (PacketLayout.IPV4_FRAGMENT_MASK | PacketLayout.IPV4_MORE_FRAGMENTS)) != 0;
  }

  /** Upper half of the source address, as {@link Addresses}. */
  public long srcHigh() {
    return isV6 ? i64(bytes, ip + PacketLayout.IPV6_SRC_OFFSET) : 0;
  }

  /** Lower half of the source address. */
  public long srcLow() {
    return isV6
        ? i64(bytes, ip + PacketLayout.IPV6_SRC_OFFSET + 8)
        : Addresses.v4Low(i32(bytes, ip + PacketLayout.IPV4_SRC_OFFSET));
  }

  /** Upper half of the destination address. */
  public long dstHigh() {
    return isV6 ? i64(bytes, ip + PacketLayout.IPV6_DST_OFFSET) : 0;
  }

  /** Lower half of the destination address. */
  public long dstLow() {
    return isV6
        ? i64(bytes, ip + PacketLayout.IPV6_DST_OFFSET + 8)
        : Addresses.v4Low(i32(bytes, ip + PacketLayout.IPV4_DST_OFFSET));
  }

  /** Source port, or ICMP type; {@link FlowBlock#NULL} if absent. */
  public int srcPort() {
    if (PacketLayout.hasPorts(protocol)) {
      return end - transport >= 2 ? u16(bytes, transport) : FlowBlock.NULL;
    }
    return PacketLayout.isIcmp(protocol) && end > transport ? u8(bytes, transport) : FlowBlock.NULL;
  }

  /** Destination port, or ICMP code; {@link FlowBlock#NULL} if absent. */
  public int dstPort() {
    if (PacketLayout.hasPorts(protocol)) {
      return end - transport >= 4
          ? u16(bytes, transport + PacketLayout.DST_PORT_OFFSET)
          : FlowBlock.NULL;
    }
    return PacketLayout.isIcmp(protocol) && end - transport >= 2
        ? u8(bytes, transport + PacketLayout.ICMP_CODE_OFFSET)
        : FlowBlock.NULL;
  }

  /** TCP flags, low twelve bits; {@link FlowBlock#NULL} if absent. */
  public int tcpFlags() {
    return protocol == PacketLayout.TCP && end - transport >= PacketLayout.TCP_FLAGS_OFFSET + 2
        ? u16(bytes, transport + PacketLayout.TCP_FLAGS_OFFSET) & PacketLayout.TCP_FLAGS_MASK
        : FlowBlock.NULL;
  }
}
