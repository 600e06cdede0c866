package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u32;
import static io.millrace.wire.packet.BigEndian.u8;

/**
 * Decoder of version 1 messages (3GPP TS 29.060) about PDP contexts. A tunnel's id and address are
 * two elements.
 *
 * <pre>
 *   header of {@link GtpLayout}, then elements
 *     type below 128: type (1), value of the type's length
 *     others:         type (1), length (2), value
 * </pre>
 */
final class GtpVersion1 {
  private static final int CAUSE = 1;
  private static final int IMSI = 2;
  private static final int ROUTEING_AREA = 3;
  private static final int DATA_TUNNEL = 16;
  private static final int CONTROL_TUNNEL = 17;
  private static final int GSN_ADDRESS = 133;
  private static final int MSISDN = 134;
  private static final int LOCATION = 152;

  /** Lengths of the values of elements 1 to 29 (TS 29.060 table 37); 0: unknown. */
  private static final int[] LENGTHS = {
    0, 1, 8, 6, 4, 4, 0, 0, 1, 28, 0, 1, 3, 1, 1, 1, 4, 4, 5, 1, 1, 1, 9, 1, 1, 2, 2, 2, 2, 1
  };

  private static final int CHARGING_ID = 127;
  private static final int CHARGING_ID_LENGTH = 4;
  private static final int FIRST_WITH_LENGTH = 128;

  private final GtpMessage message;
  private byte[] bytes = {};
  private long dataTunnel;
  private int addresses;

  GtpVersion1(GtpMessage message) {
    this.message = message;
  }

  boolean read(int at, int end) {
    bytes = message.bytes;
    dataTunnel = -1;
    addresses = 0;
    int elements = GtpLayout.body(bytes, at, end);
    message.kind =
        switch (u8(bytes, at + GtpLayout.TYPE_OFFSET)) {
          case 16 -> GtpControl.Kind.CREATE_REQUEST;
          case 17 -> GtpControl.Kind.CREATE_RESPONSE;
          case 18 -> GtpControl.Kind.UPDATE_REQUEST;
          case 19 -> GtpControl.Kind.UPDATE_RESPONSE;
          case 20 -> GtpControl.Kind.DELETE_REQUEST;
          case 21 -> GtpControl.Kind.DELETE_RESPONSE;
          default -> null;
        };
    if (elements < 0 || message.kind == null) {
      message.isBroken = elements < 0;
      return false;
    }
    message.tunnelId = u32(bytes, at + GtpLayout.TUNNEL_OFFSET);
    if (elements > at + GtpLayout.LENGTH) {
      message.sequence = u16(bytes, at + GtpLayout.LENGTH);
    }
    int last = Math.min(end, at + GtpLayout.LENGTH + u16(bytes, at + GtpLayout.LENGTH_OFFSET));
    elements(elements, last);
    if (dataTunnel >= 0 && addresses > 0) {
      message.tunnel(dataTunnel);
    }
    return true;
  }

  private void elements(int from, int end) {
    int at = from;
    while (at < end) {
      int type = u8(bytes, at);
      int length;
      if (type >= FIRST_WITH_LENGTH) {
        if (end - at < 3) {
          message.isBroken = true;
          return;
        }
        length = u16(bytes, at + 1);
        at += 3;
      } else {
        length =
            type < LENGTHS.length ? LENGTHS[type] : type == CHARGING_ID ? CHARGING_ID_LENGTH : 0;
        if (length == 0) {
          return;
        }
        at += 1;
      }
      if (length > end - at) {
        message.isBroken = true;
        return;
      }
      element(type, at, length);
      at += length;
    }
  }

  private void element(int type, int at, int length) {
    switch (type) {
      case CAUSE -> message.cause = u8(bytes, at);
      case IMSI -> message.imsi = message.digits(at, length);
      case ROUTEING_AREA -> {
        if (message.area < 0) {
          message.place(at, -1);
        }
      }
      case DATA_TUNNEL -> dataTunnel = u32(bytes, at);
      case CONTROL_TUNNEL -> message.controlId = u32(bytes, at);
      case GSN_ADDRESS -> {
        // The first is the control tunnel, the second that of the subscriber's packets.
        if ((length == 4 || length == 16) && addresses++ < 2) {
          message.address(at, length == 16);
          if (addresses == 1) {
            message.controlHigh = message.addressHigh;
            message.controlLow = message.addressLow;
          }
        }
      }
      case MSISDN -> message.msisdn = length > 1 ? message.digits(at + 1, length - 1) : null;
      case LOCATION -> {
        if (length >= 1 + GtpMessage.PLMN_LENGTH + 4) {
          boolean hasCell = u8(bytes, at) <= 1; // number of a cell or a service area
          message.place(at + 1, hasCell ? u16(bytes, at + 1 + GtpMessage.PLMN_LENGTH + 2) : -1);
        }
      }
      default -> {}
    }
  }
}
