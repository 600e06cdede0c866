package io.millrace.analytics.app;

/**
 * ClientHello of TLS, DTLS and QUIC (RFC 8446 section 4.1.2): server name and offered protocols.
 *
 * <pre>
 *   version (2), random (32), session id (1 + n), [DTLS: cookie (1 + n)],
 *   cipher suites (2 + n), compressions (1 + n), extensions (2 + n): type (2), length (2), value
 * </pre>
 */
final class ClientHello {
  private static final int SERVER_NAME = 0;
  private static final int ALPN = 16;
  private static final int RANDOM_END = 34;
  private static final int NAMES_OFFSET = 2;

  /** Server name as received; null if absent. */
  String serverName;

  /** The offered protocols, each after a blank; empty if none. */
  String alpn = "";

  boolean isWhole;

  private ClientHello() {}

  static ClientHello ofName(String serverName) {
    ClientHello hello = new ClientHello();
    hello.serverName = serverName;
    hello.isWhole = true;
    return hello;
  }

  /** Parses the message after its handshake header; null if invalid. */
  static ClientHello read(Payload bytes, int from, boolean isDatagram) {
    int at = from + RANDOM_END;
    int session = bytes.u8(at);
    if (session < 0 || session > 32) {
      return null;
    }
    at += 1 + session;
    if (isDatagram) {
      at += 1 + Math.max(0, bytes.u8(at));
    }
    ClientHello hello = new ClientHello();
    int suites = bytes.u16(at);
    if (suites < 0) {
      return hello;
    }
    at += 2 + suites;
    int compressions = bytes.u8(at);
    if (compressions < 0) {
      return hello;
    }
    at += 1 + compressions;
    int length = bytes.u16(at);
    if (length < 0) {
      hello.isWhole = bytes.length() >= at;
      return hello;
    }
    at += 2;
    hello.extensions(bytes, at, at + length);
    return hello;
  }

  private void extensions(Payload bytes, int from, int end) {
    int at = from;
    while (at + 4 <= end) {
      int type = bytes.u16(at);
      int length = bytes.u16(at + 2);
      if (length < 0) {
        return;
      }
      at += 4;
      if (at + length > bytes.length()) {
        return;
      }
      if (type == SERVER_NAME && length > NAMES_OFFSET + 3) {
        int nameLength = bytes.u16(at + NAMES_OFFSET + 1);
        serverName = bytes.text(at + NAMES_OFFSET + 3, Math.min(nameLength, length - 5));
      } else if (type == ALPN) {
        alpn(bytes, at + 2, at + length);
      }
      at += length;
    }
    isWhole = at >= end;
  }

  private void alpn(Payload bytes, int from, int end) {
    StringBuilder offered = new StringBuilder();
    int at = from;
    while (at < end) {
      int length = bytes.u8(at);
      if (length <= 0) {
        break;
      }
      offered.append(' ').append(bytes.text(at + 1, Math.min(length, end - at - 1)));
      at += 1 + length;
    }
    alpn = offered.toString();
  }

  boolean offers(String protocol) {
    return (alpn + ' ').contains(' ' + protocol + ' ');
  }
}
