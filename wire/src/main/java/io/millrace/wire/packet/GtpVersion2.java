package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u32;
import static io.millrace.wire.packet.BigEndian.u8;

/**
 * Decoder of version 2 messages (3GPP TS 29.274) about sessions with bearers.
 *
 * <pre>
 *   0                 1      2        4           8          11  12
 *   +-----------------+------+--------+-----------+----------+---+----------
 *   | ver 2, P, T, …  | type | length | tunnel id | sequence | 0 | elements …
 *   |                 |      | from 4 | only if T |          |   |
 *   +-----------------+------+--------+-----------+----------+---+----------
 *     element:        type (1), length (2), instance (1), value
 *     a bearer's element holds elements itself
 * </pre>
 */
final class GtpVersion2 {
  private static final int IMSI = 1;
  private static final int CAUSE = 2;
  private static final int BEARER_ID = 73;
  private static final int MSISDN = 76;
  private static final int LOCATION = 86;
  private static final int TUNNEL = 87;
  private static final int BEARER = 93;
  private static final int DELETE_BEARER_REQUEST = 99;
  private static final int DELETE_BEARER_RESPONSE = 100;
  private static final int HEADER_LENGTH = 8;
  private static final int HAS_TUNNEL = 0x08;
  private static final int IS_FOLLOWED = 0x10;
  private static final int INSTANCE_MASK = 0x0F;
  private static final int ELEMENT_LENGTH = 4;

  private final GtpMessage message;
  private byte[] bytes = {};
  private boolean isOfSession;

  GtpVersion2(GtpMessage message) {
    this.message = message;
  }

  boolean read(int at, int end) {
    bytes = message.bytes;
    isOfSession = false;
    int flags = u8(bytes, at);
    int header = HEADER_LENGTH + ((flags & HAS_TUNNEL) != 0 ? 4 : 0);
    int last = at + 4 + u16(bytes, at + GtpLayout.LENGTH_OFFSET);
    if (end - at < header || last > end || last - at < header) {
      message.isBroken = true;
      return false;
    }
    if ((flags & IS_FOLLOWED) != 0 && last < end) {
      message.next = last;
    }
    message.kind =
        switch (u8(bytes, at + GtpLayout.TYPE_OFFSET)) {
          case 32 -> GtpControl.Kind.CREATE_REQUEST;
          case 33 -> GtpControl.Kind.CREATE_RESPONSE;
          case 34 -> GtpControl.Kind.UPDATE_REQUEST;
          case 35 -> GtpControl.Kind.UPDATE_RESPONSE;
          case 36, DELETE_BEARER_REQUEST -> GtpControl.Kind.DELETE_REQUEST;
          case 37, DELETE_BEARER_RESPONSE -> GtpControl.Kind.DELETE_RESPONSE;
          case 95 -> GtpControl.Kind.UPDATE_REQUEST; // an additional bearer
          case 96 -> GtpControl.Kind.UPDATE_RESPONSE;
          default -> null;
        };
    if (message.kind == null) {
      return false;
    }
    message.tunnelId = (flags & HAS_TUNNEL) != 0 ? u32(bytes, at + GtpLayout.TUNNEL_OFFSET) : -1;
    message.sequence = i32(bytes, at + header - 4) >>> 8;
    elements(at + header, last, false);
    return isOfSession || !isOfBearer(at);
  }

  private boolean isOfBearer(int at) {
    int type = u8(bytes, at + GtpLayout.TYPE_OFFSET);
    return type == DELETE_BEARER_REQUEST || type == DELETE_BEARER_RESPONSE;
  }

  private void elements(int from, int end, boolean isBearer) {
    int at = from;
    while (end - at >= ELEMENT_LENGTH) {
      int type = u8(bytes, at);
      int length = u16(bytes, at + 1);
      at += ELEMENT_LENGTH;
      if (length > end - at) {
        message.isBroken = true;
        return;
      }
      if (isBearer) {
        if (type == TUNNEL) {
          tunnel(at, length);
        }
      } else {
        element(type, u8(bytes, at - 1) & INSTANCE_MASK, at, length);
      }
      at += length;
    }
  }

  private void element(int type, int instance, int at, int length) {
    switch (type) {
      case IMSI -> message.imsi = message.digits(at, length);
      case CAUSE -> message.cause = length > 0 ? u8(bytes, at) : -1;
      case MSISDN -> message.msisdn = message.digits(at, length);
      case LOCATION -> location(at, length);
      case BEARER_ID -> isOfSession |= instance == 0;
      case TUNNEL -> {
        if (instance == 0) {
          control(at, length);
        }
      }
      case BEARER -> elements(at, at + length, true);
      default -> {}
    }
  }

  /**
   * Reads the locations announced by the first byte, in the order of its bits; the most precise one
   * applies.
   */
  private void location(int start, int length) {
    int end = start + length;
    int which = length > 0 ? u8(bytes, start) : 0;
    int at = start + 1;
    for (int bit = 0; bit < 6; bit++) {
      if ((which & (1 << bit)) == 0) {
        continue;
      }
      int size = bit == 3 || bit == 5 ? GtpMessage.PLMN_LENGTH + 2 : GtpMessage.PLMN_LENGTH + 4;
      if (size > end - at) {
        return;
      }
      switch (bit) {
        case 0, 1 ->
            message.place(at, u16(bytes, at + GtpMessage.PLMN_LENGTH + 2)); // cell, service area
        case 4 -> { // cell of E-UTRA, after its tracking area
          message.network = message.plmn(at);
          message.cell = u32(bytes, at + GtpMessage.PLMN_LENGTH) & 0x0FFF_FFFF;
        }
        default -> message.place(at, message.cell); // routeing, tracking, location area
      }
      at += size;
    }
  }

  private void tunnel(int at, int length) {
    if (length < 9) {
      return;
    }
    boolean hasV4 = (u8(bytes, at) & 0x80) != 0;
    boolean hasV6 = (u8(bytes, at) & 0x40) != 0;
    if (hasV4) {
      message.address(at + 5, false);
      message.tunnel(u32(bytes, at + 1));
    }
    int v6 = at + (hasV4 ? 9 : 5);
    if (hasV6 && at + length - v6 >= 16) {
      message.address(v6, true);
      message.tunnel(u32(bytes, at + 1));
    }
  }

  private void control(int at, int length) {
    int first = message.tunnels();
    tunnel(at, length);
    if (message.tunnels() > first) {
      message.takeAsControl(first);
    }
  }
}
