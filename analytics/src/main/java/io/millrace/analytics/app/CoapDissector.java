package io.millrace.analytics.app;

/**
 * CoAP (RFC 7252 section 3): it has only four bits of magic, so the code and all options must be
 * valid.
 *
 * <pre>
 *   version 01, type, token length (1)  code (1)  message id (2)  token
 *   options: delta and length (1), each maybe longer (+ 1 or 2), value; 0xFF and the payload
 * </pre>
 */
final class CoapDissector implements Dissector {
  private static final int PORT = 5683;

  /** Compressible ports of 6LoWPAN (RFC 4944). */
  private static final int FIRST_SHORT = 61_616;

  private static final int LAST_SHORT = 61_631;
  private static final int HEADER = 4;
  private static final int LONGEST_TOKEN = 8;
  private static final int MAX_OPTION = 2_053;
  private static final int PAYLOAD = 0xFF;

  @Override
  public Result dissect(AppFlow flow, Payload payload) {
    if (!flow.isUnknown()
        || !(isPort(payload.sourcePort) || isPort(payload.destinationPort))
        || !isMessage(payload)) {
      return Result.NO;
    }
    flow.classify("COAP", Evidence.PAYLOAD);
    return Result.DONE;
  }

  private static boolean isPort(int port) {
    return port == PORT || (port >= FIRST_SHORT && port <= LAST_SHORT);
  }

  private static boolean isMessage(Payload message) {
    int first = message.u8(0);
    int token = first & 15;
    if (message.length() < HEADER || first >>> 6 != 1 || token > LONGEST_TOKEN) {
      return false;
    }
    int code = message.u8(1);
    if (code == 0) {
      return token == 0 && message.length() == HEADER;
    }
    boolean isKnown =
        code <= 7
            || (code >>> 5 >= 2 && code >>> 5 <= 5 && (code & 31) <= 8)
            || code == 0x8C
            || code == 0x8D
            || code == 0x8F
            || code == 0x5F;
    return isKnown && areOptions(message, HEADER + token);
  }

  private static boolean areOptions(Payload message, int from) {
    int at = from;
    int option = 0;
    while (at < message.length()) {
      int first = message.u8(at++);
      if (first == PAYLOAD) {
        return at < message.length();
      }
      int delta = first >>> 4;
      int length = first & 15;
      if (delta == 15 || length == 15) {
        return false;
      }
      int deltaAt = at;
      at += delta < 13 ? 0 : delta - 12;
      int lengthAt = at;
      at += length < 13 ? 0 : length - 12;
      option += extended(message, delta, deltaAt);
      at += extended(message, length, lengthAt);
      if (option > MAX_OPTION) {
        return false;
      }
    }
    return at == message.length();
  }

  private static int extended(Payload message, int nibble, int at) {
    return switch (nibble) {
      case 13 -> message.u8(at) + 13;
      case 14 -> message.u16(at) + 269;
      default -> nibble;
    };
  }
}
