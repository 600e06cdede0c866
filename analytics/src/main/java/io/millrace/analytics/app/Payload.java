package io.millrace.analytics.app;

import io.millrace.wire.packet.BigEndian;
import java.nio.charset.StandardCharsets;

/**
 * Payload to examine. Reads beyond its end return −1 or false, so callers need not check the
 * length.
 */
final class Payload {
  private byte[] bytes = new byte[0];
  private int start;
  private int end;

  boolean fromClient;
  boolean isTcp;
  int sourcePort;
  int destinationPort;
  long timeMicros;

  Payload wrap(byte[] from, int at, int limit) {
    bytes = from;
    start = at;
    end = limit;
    return this;
  }

  Payload from(int offset) {
    Payload rest = new Payload().wrap(bytes, Math.min(end, start + offset), end);
    rest.of(this);
    return rest;
  }

  void of(Payload other) {
    fromClient = other.fromClient;
    isTcp = other.isTcp;
    sourcePort = other.sourcePort;
    destinationPort = other.destinationPort;
    timeMicros = other.timeMicros;
  }

  byte[] bytes() {
    return bytes;
  }

  int start() {
    return start;
  }

  int length() {
    return end - start;
  }

  boolean hasPort(int port) {
    return sourcePort == port || destinationPort == port;
  }

  int u8(int at) {
    return at >= 0 && at < length() ? bytes[start + at] & 0xFF : -1;
  }

  int u16(int at) {
    return at >= 0 && at + 2 <= length() ? BigEndian.u16(bytes, start + at) : -1;
  }

  int u24(int at) {
    return at >= 0 && at + 3 <= length() ? u8(at) << 16 | u16(at + 1) : -1;
  }

  long u32(int at) {
    return at >= 0 && at + 4 <= length() ? BigEndian.u32(bytes, start + at) : -1;
  }

  int le16(int at) {
    int value = u16(at);
    return value < 0 ? value : Short.reverseBytes((short) value) & 0xFFFF;
  }

  long le32(int at) {
    long value = u32(at);
    return value < 0 ? value : Integer.reverseBytes((int) value) & 0xFFFF_FFFFL;
  }

  boolean startsWith(String text) {
    return has(0, text);
  }

  boolean has(int at, String text) {
    if (at < 0 || at + text.length() > length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (bytes[start + at + i] != (byte) text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** As {@link #has}, with lower-case text, ignoring case. */
  boolean hasIgnoringCase(int at, String lower) {
    if (at < 0 || at + lower.length() > length()) {
      return false;
    }
    for (int i = 0; i < lower.length(); i++) {
      int c = bytes[start + at + i];
      if (lower.charAt(i) != (c >= 'A' && c <= 'Z' ? c + 32 : c)) {
        return false;
      }
    }
    return true;
  }

  /** Position of the text from {@code from} and before {@code limit}; −1 if absent. */
  int find(String text, int from, int limit) {
    int last = Math.min(limit, length()) - text.length();
    byte first = (byte) text.charAt(0);
    for (int at = Math.max(0, from); at <= last; at++) {
      if (bytes[start + at] == first && has(at, text)) {
        return at;
      }
    }
    return -1;
  }

  int findIgnoringCase(String lower, int from, int limit) {
    int last = Math.min(limit, length()) - lower.length();
    for (int at = Math.max(0, from); at <= last; at++) {
      if (hasIgnoringCase(at, lower)) {
        return at;
      }
    }
    return -1;
  }

  String text(int at, int count) {
    int from = Math.max(0, Math.min(at, length()));
    int limit = Math.max(from, Math.min(from + count, length()));
    return new String(bytes, start + from, limit - from, StandardCharsets.ISO_8859_1);
  }

  boolean isText(int count) {
    int limit = Math.min(count, length());
    for (int i = 0; i < limit; i++) {
      int c = bytes[start + i];
      if ((c < ' ' && c != '\r' && c != '\n' && c != '\t') || c == 0x7F) {
        return false;
      }
    }
    return limit > 0;
  }
}
