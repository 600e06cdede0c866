package io.millrace.wire.pcap;

import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketReject;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

final class LinkLayers {
  // Results in place of the offset of IP.
  private static final int NO_IP = -1;
  private static final int CUT = -2;
  private static final int UNKNOWN_LINK = -3;

  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

  private static final int ETHERNET_TYPE_OFFSET = 12;
  private static final int SLL_PROTOCOL_OFFSET = 14;
  private static final int SLL2_HEADER_LENGTH = 20;
  private static final int FAMILY_LENGTH = 4;
  private static final int TAG_LENGTH = 4;
  private static final int LABEL_LENGTH = 4;
  private static final int SNAP_LENGTH = 8;

  private static final int TYPE_IPV4 = 0x0800;
  private static final int TYPE_IPV6 = 0x86DD;
  private static final int TYPE_PPPOE_SESSION = 0x8864;
  private static final int PPPOE_LENGTH = 6;
  private static final int PPP_HDLC = 0xFF03; // address and control before the protocol
  private static final int PPP_IPV4 = 0x0021;
  private static final int PPP_IPV6 = 0x0057;
  private static final int PPP_MPLS = 0x0281; // RFC 3032 section 4.3
  private static final int PPP_MPLS_UPSTREAM = 0x0283;
  private static final int HDLC_TYPE_OFFSET = 2;
  private static final int HDLC_UNICAST = 0x0F00; // Cisco's address and control
  private static final int HDLC_BROADCAST = 0x8F00;
  private static final int PPI_LENGTH = 8;
  private static final int RADIOTAP_LENGTH = 8;
  private static final int WIFI_LENGTH = 24;
  private static final int TYPE_MPLS = 0x8847;
  private static final int TYPE_MPLS_UPSTREAM = 0x8848;
  private static final int NSH_ETHERNET = 0x10000; // no EtherType
  private static final int MAX_LENGTH_FIELD = 1500; // IEEE 802.3: smaller is a length, no type

  private LinkLayers() {}

  /** Returns the offset of the IP header; negative if there is none, see {@link #reject}. */
  static int ip(LinkType type, byte[] bytes, int at, int end) {
    return switch (type) {
      case ETHERNET -> afterType(bytes, at + ETHERNET_TYPE_OFFSET, end);
      case LINUX_SLL -> afterType(bytes, at + SLL_PROTOCOL_OFFSET, end);
      case LINUX_SLL2 ->
          end - at < SLL2_HEADER_LENGTH
              ? CUT
              : afterType(bytes, uint16(bytes, at), at + SLL2_HEADER_LENGTH, end);
      case NULL, LOOP -> afterFamily(bytes, at, end);
      case RAW_IP, IPV4, IPV6 -> at;
      case PPP -> afterPpp(bytes, at, end);
      case CISCO_HDLC -> afterType(bytes, at + HDLC_TYPE_OFFSET, end);
      case WIFI -> afterWifi(bytes, at, end);
      case RADIOTAP -> afterRadiotap(bytes, at, end);
      case PPI -> afterPpi(bytes, at, end);
      case MPLS, LLC, UNKNOWN -> UNKNOWN_LINK;
    };
  }

  static PacketReject reject(int notFound) {
    return switch (notFound) {
      case CUT -> PacketReject.SHORT_FRAME;
      case UNKNOWN_LINK -> PacketReject.UNKNOWN_LINK;
      default -> PacketReject.NOT_IP;
    };
  }

  private static int afterType(byte[] bytes, int typeAt, int end) {
    return typeAt + Short.BYTES > end
        ? CUT
        : afterType(bytes, uint16(bytes, typeAt), typeAt + Short.BYTES, end);
  }

  private static int afterType(byte[] bytes, int etherType, int from, int end) {
    int type = etherType;
    int at = from;
    while (true) {
      switch (type) {
        case TYPE_IPV4, TYPE_IPV6 -> {
          return at;
        }
        case 0x8100, 0x88A8, 0x9100, 0x9200 -> {
          if (at + TAG_LENGTH > end) {
            return CUT;
          }
          type = uint16(bytes, at + 2);
          at += TAG_LENGTH;
        }
        case TYPE_MPLS, TYPE_MPLS_UPSTREAM -> {
          return afterLabels(bytes, at, end);
        }
        case 0x8903, 0x8926, 0x893F, 0x88E7, 0x22F3, 0x88E5, 0x894F -> {
          int next = at + encapsulation(type, bytes, at, end);
          if (next == at || next > end) {
            return next == at ? NO_IP : CUT;
          }
          type = type == 0x894F ? nextOfNsh(bytes, at) : uint16(bytes, next - 2);
          if (type == NSH_ETHERNET) {
            next += ETHERNET_TYPE_OFFSET + Short.BYTES;
            if (next > end) {
              return CUT;
            }
            type = uint16(bytes, next - 2);
          }
          at = next;
        }
        case TYPE_PPPOE_SESSION -> {
          return afterPpp(bytes, at + PPPOE_LENGTH, end);
        }
        default -> {
          if (type > MAX_LENGTH_FIELD || at + SNAP_LENGTH > end || !isSnap(bytes, at)) {
            return NO_IP;
          }
          type = uint16(bytes, at + 6);
          at += SNAP_LENGTH;
        }
      }
    }
  }

  /** Length up to and including the inner EtherType, for NSH up to its end; 0 if encrypted. */
  private static int encapsulation(int type, byte[] bytes, int at, int end) {
    int ethernet = ETHERNET_TYPE_OFFSET + Short.BYTES;
    int flags = at < end ? bytes[at] & 0xFF : 0;
    return switch (type) {
      case 0x8903 -> 2 + ethernet;
      case 0x8926 -> 6;
      case 0x893F -> 8;
      case 0x88E7 -> 4 + ethernet;
      case 0x22F3 -> at + 2 > end ? end : 6 + (uint16(bytes, at) >>> 6 & 0x1F) * 4 + ethernet;
      case 0x88E5 -> (flags & 0x0C) != 0 ? 0 : 6 + ((flags & 0x20) != 0 ? 8 : 0) + Short.BYTES;
      default -> at + 8 > end ? end : Math.max(8, (bytes[at + 1] & 0x3F) * 4);
    };
  }

  /** Next protocols of NSH (RFC 8300 section 2.2) as EtherTypes. */
  private static int nextOfNsh(byte[] bytes, int at) {
    return switch (bytes[at + 3]) {
      case 1 -> TYPE_IPV4;
      case 2 -> TYPE_IPV6;
      case 3 -> NSH_ETHERNET;
      case 4 -> 0x894F;
      case 5 -> TYPE_MPLS;
      default -> 0xFFFF; // unsupported
    };
  }

  /** IEEE 802.2 SNAP with organisation 0, whose protocol is an EtherType (RFC 1042). */
  private static boolean isSnap(byte[] bytes, int at) {
    return uint16(bytes, at) == 0xAAAA
        && uint16(bytes, at + 2) == 0x0300
        && uint16(bytes, at + 4) == 0;
  }

  /** RFC 3032: labels up to the one with the bottom bit; the payload has no type. */
  private static int afterLabels(byte[] bytes, int from, int end) {
    for (int at = from; at + LABEL_LENGTH <= end; at += LABEL_LENGTH) {
      if ((bytes[at + 2] & 1) != 0) {
        int next = at + LABEL_LENGTH;
        int version = next < end ? (bytes[next] & 0xF0) >>> 4 : 0;
        return version == 4 || version == 6 ? next : next < end ? NO_IP : CUT;
      }
    }
    return CUT;
  }

  /** RFC 1661 section 2: a protocol with an odd first byte has one byte. */
  private static int afterPpp(byte[] bytes, int from, int end) {
    int at = from;
    if (at + 2 <= end && uint16(bytes, at) == PPP_HDLC) {
      at += 2;
    }
    if (at + 2 > end) {
      return CUT;
    }
    int first = uint16(bytes, at);
    if (first == HDLC_UNICAST || first == HDLC_BROADCAST) {
      return afterType(bytes, at + HDLC_TYPE_OFFSET, end); // serial lines have either
    }
    boolean isShort = (bytes[at] & 1) != 0;
    int protocol = isShort ? bytes[at] & 0xFF : first;
    int next = at + (isShort ? 1 : 2);
    return switch (protocol) {
      case PPP_IPV4, PPP_IPV6 -> next;
      case PPP_MPLS, PPP_MPLS_UPSTREAM -> afterLabels(bytes, next, end);
      default -> NO_IP;
    };
  }

  /** The PPI header has its length and the link type, in little-endian order. */
  private static int afterPpi(byte[] bytes, int at, int end) {
    if (at + PPI_LENGTH > end) {
      return CUT;
    }
    int length = Short.reverseBytes((short) SHORT.get(bytes, at + 2)) & 0xFFFF;
    LinkType type = LinkType.of(Short.reverseBytes((short) SHORT.get(bytes, at + 4)) & 0xFFFF);
    return type == LinkType.PPI
        ? UNKNOWN_LINK
        : ip(type, bytes, at + Math.max(length, PPI_LENGTH), end);
  }

  private static int afterRadiotap(byte[] bytes, int at, int end) {
    if (at + RADIOTAP_LENGTH > end) {
      return CUT;
    }
    int length = Short.reverseBytes((short) SHORT.get(bytes, at + 2)) & 0xFFFF;
    return afterWifi(bytes, at + Math.max(length, RADIOTAP_LENGTH), end);
  }

  /** IEEE 802.11 section 9.2.3: unencrypted data frames carry LLC and SNAP. */
  private static int afterWifi(byte[] bytes, int at, int end) {
    if (at + WIFI_LENGTH + SNAP_LENGTH > end) {
      return NO_IP;
    }
    int control = bytes[at] & 0xFF;
    int flags = bytes[at + 1] & 0xFF;
    boolean isData = (control & 0x0C) == 0x08 && (control & 0x40) == 0;
    boolean isProtected = (flags & 0x40) != 0;
    if (!isData || isProtected) {
      return NO_IP;
    }
    boolean hasFourthAddress = (flags & 0x03) == 0x03;
    boolean hasQos = (control & 0x80) != 0;
    int llc = at + WIFI_LENGTH + (hasFourthAddress ? 6 : 0) + (hasQos ? 2 : 0);
    return llc + SNAP_LENGTH <= end && isSnap(bytes, llc)
        ? afterType(bytes, uint16(bytes, llc + 6), llc + SNAP_LENGTH, end)
        : NO_IP;
  }

  /** IPv4 is 2 everywhere, IPv6 is 10, 24, 28 or 30 by system; the version in IP decides. */
  private static int afterFamily(byte[] bytes, int at, int end) {
    if (at + FAMILY_LENGTH > end) {
      return CUT;
    }
    int family = uint16(bytes, at) | uint16(bytes, at + 2); // one of the halves is 0
    return switch (family > 0xFF ? family >>> 8 : family) {
      case 2, 10, 24, 28, 30 -> at + FAMILY_LENGTH;
      default -> NO_IP;
    };
  }

  static int uint16(byte[] bytes, int at) {
    return (short) SHORT.get(bytes, at) & 0xFFFF;
  }
}
