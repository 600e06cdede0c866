package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u32;
import static io.millrace.wire.packet.BigEndian.u8;

/**
 * A message of GTP's control plane: which tunnels are made, moved or taken down, and whose they
 * are. Version 1 (3GPP TS 29.060) has PDP contexts, version 2 (3GPP TS 29.274) has sessions with
 * bearers.
 *
 * <pre>
 *   version 1: header of {@link GtpLayout}, then elements
 *     type below 128: type (1), value of the type's length
 *     others:         type (1), length (2), value
 *
 *   version 2:
 *   0                 1      2        4           8          11  12
 *   +-----------------+------+--------+-----------+----------+---+----------
 *   | ver 3, P, T, …  | type | length | tunnel id | sequence | 0 | elements …
 *   |                 |      | from 4 | only if T |          |   |
 *   +-----------------+------+--------+-----------+----------+---+----------
 *     element:        type (1), length (2), instance (1), value
 *     a bearer's element holds elements itself
 * </pre>
 *
 * A view that its owner moves from message to message. What a message does not tell is null, or −1.
 * Never throws, never reads outside the bytes given; an element that does not fit ends the message.
 * Not thread-safe.
 */
public final class GtpControl extends GtpMessage {
  /** What a message is about. */
  public enum Kind {
    /** Asks for a PDP context or session; names subscriber and place, and the asker's tunnels. */
    CREATE_REQUEST,
    /** The answer, with the answerer's tunnels. */
    CREATE_RESPONSE,
    /**
     * Tells other tunnels or another place: of a PDP context, or of a bearer, also of a new one.
     */
    UPDATE_REQUEST,
    /** The answer. */
    UPDATE_RESPONSE,
    /** Takes down a PDP context or session; of a bearer only where the session goes with it. */
    DELETE_REQUEST,
    /** The answer. */
    DELETE_RESPONSE
  }

  /** UDP port of the control plane. */
  public static final int PORT = 2123;

  // Elements of version 1.
  private static final int V1_CAUSE = 1;
  private static final int V1_IMSI = 2;
  private static final int V1_ROUTEING_AREA = 3;
  private static final int V1_DATA_TUNNEL = 16;
  private static final int V1_CONTROL_TUNNEL = 17;
  private static final int V1_GSN_ADDRESS = 133;
  private static final int V1_MSISDN = 134;
  private static final int V1_LOCATION = 152;

  /** Lengths of the values of elements 1 to 29 of version 1 (TS 29.060 table 37); 0: unknown. */
  private static final int[] V1_LENGTHS = {
    0, 1, 8, 6, 4, 4, 0, 0, 1, 28, 0, 1, 3, 1, 1, 1, 4, 4, 5, 1, 1, 1, 9, 1, 1, 2, 2, 2, 2, 1
  };

  private static final int V1_CHARGING_ID = 127;
  private static final int V1_CHARGING_ID_LENGTH = 4;
  private static final int V1_FIRST_WITH_LENGTH = 128;

  // Elements of version 2.
  private static final int V2_IMSI = 1;
  private static final int V2_CAUSE = 2;
  private static final int V2_BEARER_ID = 73;
  private static final int V2_MSISDN = 76;
  private static final int V2_LOCATION = 86;
  private static final int V2_TUNNEL = 87;
  private static final int V2_BEARER = 93;
  private static final int V2_DELETE_BEARER_REQUEST = 99;
  private static final int V2_DELETE_BEARER_RESPONSE = 100;
  private static final int V2_HEADER_LENGTH = 8;
  private static final int V2_HAS_TUNNEL = 0x08;
  private static final int V2_IS_FOLLOWED = 0x10;
  private static final int V2_INSTANCE_MASK = 0x0F;
  private static final int ELEMENT_LENGTH = 4;

  private boolean isOfSession;

  // Of version 1, where the number of a tunnel and its address are two elements.
  private long dataTunnel;
  private int addresses;

  /** A view of nothing. */
  public GtpControl() {}

  /** Whether a packet is of the control plane by its ports; {@link #read} tells what it says. */
  public static boolean isControl(PacketHeaders packet) {
    return isControl(packet.protocol(), packet.srcPort(), packet.dstPort());
  }

  /** As above, of what is known of a packet. */
  public static boolean isControl(int protocol, int sourcePort, int destinationPort) {
    return protocol == PacketLayout.UDP && (destinationPort == PORT || sourcePort == PORT);
  }

  /**
   * Moves to the message at {@code at}.
   *
   * @param end where its datagram ends, exclusive
   * @return whether it is a message of one of the kinds; if not, the rest means nothing, but for
   *     {@link #next}
   */
  public boolean read(byte[] datagram, int at, int end) {
    clear(datagram);
    isOfSession = false;
    dataTunnel = -1;
    addresses = 0;
    if (end - at < GtpLayout.LENGTH) {
      return false;
    }
    version = u8(bytes, at) >>> 5;
    return switch (version) {
      case 1 -> version1(at, end);
      case 2 -> version2(at, end);
      default -> false;
    };
  }

  private boolean version1(int at, int end) {
    int elements = GtpLayout.body(bytes, at, end);
    kind =
        switch (u8(bytes, at + GtpLayout.TYPE_OFFSET)) {
          case 16 -> Kind.CREATE_REQUEST;
          case 17 -> Kind.CREATE_RESPONSE;
          case 18 -> Kind.UPDATE_REQUEST;
          case 19 -> Kind.UPDATE_RESPONSE;
          case 20 -> Kind.DELETE_REQUEST;
          case 21 -> Kind.DELETE_RESPONSE;
          default -> null;
        };
    if (elements < 0 || kind == null) {
      return false;
    }
    tunnelId = u32(bytes, at + GtpLayout.TUNNEL_OFFSET);
    if (elements > at + GtpLayout.LENGTH) {
      sequence = u16(bytes, at + GtpLayout.LENGTH);
    }
    int last = Math.min(end, at + GtpLayout.LENGTH + u16(bytes, at + GtpLayout.LENGTH_OFFSET));
    elements1(elements, last);
    if (dataTunnel >= 0 && addresses > 0) {
      tunnel(dataTunnel, addressHigh, addressLow);
    }
    return true;
  }

  /** Each turn consumes an element or ends. */
  private void elements1(int from, int end) {
    int at = from;
    while (at < end) {
      int type = u8(bytes, at);
      int length;
      if (type >= V1_FIRST_WITH_LENGTH) {
        if (end - at < 3) {
          return;
        }
        length = u16(bytes, at + 1);
        at += 3;
      } else {
        length =
            type < V1_LENGTHS.length
                ? V1_LENGTHS[type]
                : type == V1_CHARGING_ID ? V1_CHARGING_ID_LENGTH : 0;
        if (length == 0) {
          return;
        }
        at += 1;
      }
      if (length > end - at) {
        return;
      }
      element1(type, at, length);
      at += length;
    }
  }

  private void element1(int type, int at, int length) {
    switch (type) {
      case V1_CAUSE -> cause = u8(bytes, at);
      case V1_IMSI -> imsi = digits(at, length);
      case V1_ROUTEING_AREA -> {
        if (area < 0) {
          place(at, -1);
        }
      }
      case V1_DATA_TUNNEL -> dataTunnel = u32(bytes, at);
      case V1_CONTROL_TUNNEL -> controlId = u32(bytes, at);
      case V1_GSN_ADDRESS -> {
        // The first is for signalling, the second for the subscriber's packets.
        if ((length == 4 || length == 16) && addresses++ < 2) {
          address(at, length == 16);
          if (addresses == 1) {
            controlHigh = addressHigh;
            controlLow = addressLow;
          }
        }
      }
      case V1_MSISDN -> msisdn = length > 1 ? digits(at + 1, length - 1) : null;
      case V1_LOCATION -> {
        if (length >= 1 + PLMN_LENGTH + 4) {
          boolean hasCell = u8(bytes, at) <= 1; // a cell's or a service area's number
          place(at + 1, hasCell ? u16(bytes, at + 1 + PLMN_LENGTH + 2) : -1);
        }
      }
      default -> {}
    }
  }

  private boolean version2(int at, int end) {
    int flags = u8(bytes, at);
    int header = V2_HEADER_LENGTH + ((flags & V2_HAS_TUNNEL) != 0 ? 4 : 0);
    int last = at + 4 + u16(bytes, at + GtpLayout.LENGTH_OFFSET);
    if (end - at < header || last > end || last - at < header) {
      return false;
    }
    if ((flags & V2_IS_FOLLOWED) != 0 && last < end) {
      next = last;
    }
    kind =
        switch (u8(bytes, at + GtpLayout.TYPE_OFFSET)) {
          case 32 -> Kind.CREATE_REQUEST;
          case 33 -> Kind.CREATE_RESPONSE;
          case 34 -> Kind.UPDATE_REQUEST;
          case 35 -> Kind.UPDATE_RESPONSE;
          case 36, V2_DELETE_BEARER_REQUEST -> Kind.DELETE_REQUEST;
          case 37, V2_DELETE_BEARER_RESPONSE -> Kind.DELETE_RESPONSE;
          case 95 -> Kind.UPDATE_REQUEST; // a bearer more
          case 96 -> Kind.UPDATE_RESPONSE;
          default -> null;
        };
    if (kind == null) {
      return false;
    }
    tunnelId = (flags & V2_HAS_TUNNEL) != 0 ? u32(bytes, at + GtpLayout.TUNNEL_OFFSET) : -1;
    sequence = i32(bytes, at + header - 4) >>> 8;
    elements2(at + header, last, false);
    return isOfSession || !isOfBearer(at);
  }

  /** Whether it takes down bearers, and not what they belong to unless it names that. */
  private boolean isOfBearer(int at) {
    int type = u8(bytes, at + GtpLayout.TYPE_OFFSET);
    return type == V2_DELETE_BEARER_REQUEST || type == V2_DELETE_BEARER_RESPONSE;
  }

  /** Each turn consumes an element or ends; a bearer in a bearer is not opened. */
  private void elements2(int from, int end, boolean isBearer) {
    int at = from;
    while (end - at >= ELEMENT_LENGTH) {
      int type = u8(bytes, at);
      int length = u16(bytes, at + 1);
      at += ELEMENT_LENGTH;
      if (length > end - at) {
        return;
      }
      if (isBearer) {
        if (type == V2_TUNNEL) {
          tunnel2(at, length);
        }
      } else {
        element2(type, u8(bytes, at - 1) & V2_INSTANCE_MASK, at, length);
      }
      at += length;
    }
  }

  private void element2(int type, int instance, int at, int length) {
    switch (type) {
      case V2_IMSI -> imsi = digits(at, length);
      case V2_CAUSE -> cause = length > 0 ? u8(bytes, at) : -1;
      case V2_MSISDN -> msisdn = digits(at, length);
      case V2_LOCATION -> location2(at, length);
      case V2_BEARER_ID -> isOfSession |= instance == 0;
      case V2_TUNNEL -> {
        if (instance == 0) {
          control2(at, length);
        }
      }
      case V2_BEARER -> elements2(at, at + length, true);
      default -> {}
    }
  }

  /** The places that the first byte announces, in the order of its bits; the finest counts. */
  private void location2(int start, int length) {
    int end = start + length;
    int which = length > 0 ? u8(bytes, start) : 0;
    int at = start + 1;
    for (int bit = 0; bit < 6; bit++) {
      if ((which & (1 << bit)) == 0) {
        continue;
      }
      int size = bit == 3 || bit == 5 ? PLMN_LENGTH + 2 : PLMN_LENGTH + 4;
      if (size > end - at) {
        return;
      }
      switch (bit) {
        case 0, 1 -> place(at, u16(bytes, at + PLMN_LENGTH + 2)); // cell, service area
        case 4 -> { // cell of E-UTRA, whose tracking area stands in front
          network = plmn(at);
          cell = u32(bytes, at + PLMN_LENGTH) & 0x0FFF_FFFF;
        }
        default -> place(at, cell); // routeing, tracking, location area
      }
      at += size;
    }
  }

  private void tunnel2(int at, int length) {
    if (length < 9) {
      return;
    }
    boolean hasV4 = (u8(bytes, at) & 0x80) != 0;
    boolean hasV6 = (u8(bytes, at) & 0x40) != 0;
    if (hasV4) {
      address(at + 5, false);
      tunnel(u32(bytes, at + 1), addressHigh, addressLow);
    }
    int v6 = at + (hasV4 ? 9 : 5);
    if (hasV6 && at + length - v6 >= 16) {
      address(v6, true);
      tunnel(u32(bytes, at + 1), addressHigh, addressLow);
    }
  }

  private void control2(int at, int length) {
    int first = tunnels();
    tunnel2(at, length);
    if (tunnels() > first) {
      takeAsControl(first);
    }
  }
}
