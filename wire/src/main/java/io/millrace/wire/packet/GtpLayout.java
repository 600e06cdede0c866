package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u8;

/**
 * Header of GTP version 1, before user data (3GPP TS 29.281 section 5) and control messages (3GPP
 * TS 29.060 section 6).
 *
 * <pre>
 *   0                 1       2        4        8          10        11       12
 *   +-----------------+-------+--------+--------+----------+---------+--------+--------------- -
 *   | ver 3, PT, 0,   | type  | length | tunnel | sequence | N-PDU   | next   | extensions …
 *   | E, S, PN        |       | from 8 | id     |    only where one of E, S, PN is set
 *   +-----------------+-------+--------+--------+----------+---------+--------+--------------- -
 *
 *   extension, where next is not 0:  0          1           4 × length − 1
 *                                    +----------+-----------+------+
 *                                    | length   | content   | next |
 *                                    +----------+-----------+------+
 * </pre>
 */
final class GtpLayout {
  static final int LENGTH = 8;
  static final int TUNNEL_OFFSET = 4;
  static final int TYPE_OFFSET = 1;
  static final int LENGTH_OFFSET = 2;
  static final int OPTIONAL_LENGTH = 4;

  static final int G_PDU = 255;

  /** Bits of version 1 and protocol type GTP rather than GTP'. */
  private static final int FIRST_MASK = 0xF0;

  private static final int FIRST = 0x30;
  private static final int HAS_OPTIONAL = 0x07;
  private static final int HAS_EXTENSIONS = 0x04;

  private GtpLayout() {}

  static boolean isUserData(byte[] bytes, int at, int end) {
    return end - at >= LENGTH
        && (u8(bytes, at) & FIRST_MASK) == FIRST
        && u8(bytes, at + TYPE_OFFSET) == G_PDU;
  }

  /** Offset after the header and its extensions; -1 if this is not GTP version 1. */
  static int body(byte[] bytes, int at, int end) {
    if (end - at < LENGTH || (u8(bytes, at) & FIRST_MASK) != FIRST) {
      return -1;
    }
    int flags = u8(bytes, at);
    int body = at + LENGTH;
    if ((flags & HAS_OPTIONAL) == 0) {
      return body;
    }
    body += OPTIONAL_LENGTH;
    if (body > end || u16(bytes, at + LENGTH_OFFSET) < OPTIONAL_LENGTH) {
      return -1;
    }
    int next = (flags & HAS_EXTENSIONS) == 0 ? 0 : u8(bytes, body - 1);
    while (next != 0) {
      int length = body < end ? u8(bytes, body) * 4 : 0;
      if (length == 0 || length > end - body) {
        return -1;
      }
      body += length;
      next = u8(bytes, body - 1);
    }
    return body;
  }
}
