package io.millrace.analytics.app;

import java.util.Arrays;

/**
 * TLS and SSL 3 over TCP (RFC 8446): ClientHello, ServerHello and, if unencrypted, the certificate.
 *
 * <pre>
 *   record:     type (1), version (2), length (2), fragment
 *   handshake:  type (1), length (3), body; in one record or over several
 * </pre>
 */
final class TlsDissector implements Dissector {
  private static final int HANDSHAKE = 22;
  private static final int RECORD_HEADER = 5;
  private static final int MAX_RECORD = 16_384 + 2_048;
  private static final int CLIENT_HELLO = 1;
  private static final int SERVER_HELLO = 2;
  private static final int CERTIFICATE = 11;
  private static final int SUPPORTED_VERSIONS = 43;
  private static final int TLS_1_3 = 0x0304;

  private final TlsNames names;

  TlsDissector(TlsNames names) {
    this.names = names;
  }

  @Override
  public Result dissect(AppFlow flow, Payload payload) {
    int type = payload.u8(0);
    if (isSslV2Hello(payload)) {
      flow.classify(TlsNames.appProtocol(payload, "TLS"), Evidence.PAYLOAD);
      return Result.MORE;
    }
    int version = payload.u16(1);
    if (type < 20 || type > 24 || version < 0x0300 || version > 0x0304) {
      return Result.NO;
    }
    int length = payload.u16(3);
    if (length <= 0 || length > MAX_RECORD) {
      return Result.NO;
    }
    String appProtocol = TlsNames.appProtocol(payload, "TLS");
    if (type != HANDSHAKE) {
      if (flow.isUnknown()) {
        flow.classify(appProtocol, Evidence.PAYLOAD);
      }
      return Result.MORE;
    }
    Payload handshake = handshake(payload);
    int message = handshake.u8(0);
    if (message > 24 && flow.isUnknown()) {
      flow.classify(appProtocol, Evidence.PAYLOAD); // later messages are encrypted
      return Result.MORE;
    }
    return messages(flow, handshake, appProtocol);
  }

  /** Whether it is an SSL 2 ClientHello that offers later versions (RFC 5246 appendix E.2). */
  private static boolean isSslV2Hello(Payload payload) {
    int first = payload.u8(0);
    int version = payload.u16(3);
    return first >= 0x80
        && payload.u8(2) == CLIENT_HELLO
        && (version == 0x0002 || (version >= 0x0300 && version <= 0x0303))
        && (payload.u16(0) & 0x7FFF) + 2 == payload.length();
  }

  private Result messages(AppFlow flow, Payload handshake, String appProtocol) {
    int at = 0;
    Result result = Result.MORE;
    while (at + 4 <= handshake.length()) {
      int message = handshake.u8(at);
      int length = handshake.u24(at + 1);
      int body = at + 4;
      boolean isWhole = body + length <= handshake.length();
      if (message == CLIENT_HELLO) {
        ClientHello hello = ClientHello.read(handshake, body, false);
        if (hello == null) {
          return flow.isUnknown() ? Result.NO : Result.MORE;
        }
        if (names.classify(flow, hello, appProtocol, Evidence.TLS_SNI, handshake)) {
          return Result.DONE;
        }
      } else if (message == SERVER_HELLO) {
        if (flow.isUnknown()) {
          flow.classify(appProtocol, Evidence.PAYLOAD);
        }
        if (isWhole && hidesCertificate(handshake, body, body + length)) {
          return Result.DONE;
        }
      } else if (message == CERTIFICATE) {
        int end = Math.min(handshake.length(), body + length);
        boolean isKnown = names.classifyByCertificate(flow, handshake, body, end, appProtocol);
        return isKnown || isWhole ? Result.DONE : Result.MORE;
      } else if (flow.isUnknown()) {
        flow.classify(appProtocol, Evidence.PAYLOAD);
      }
      at = body + length;
    }
    return result;
  }

  private static boolean hidesCertificate(Payload bytes, int body, int end) {
    int at = body + 34;
    at += 1 + Math.max(0, bytes.u8(at)) + 3;
    at += 2;
    while (at + 4 <= end) {
      if (bytes.u16(at) == SUPPORTED_VERSIONS && bytes.u16(at + 4) == TLS_1_3) {
        return true;
      }
      at += 4 + Math.max(0, bytes.u16(at + 2));
    }
    return false;
  }

  private static Payload handshake(Payload payload) {
    int first = payload.u16(3);
    if (RECORD_HEADER + first >= payload.length()
        || payload.u8(RECORD_HEADER + first) != HANDSHAKE) {
      Payload one = payload.from(RECORD_HEADER);
      return one.wrap(one.bytes(), one.start(), one.start() + Math.min(first, one.length()));
    }
    byte[] joined = new byte[payload.length()];
    int count = 0;
    int at = 0;
    while (payload.u8(at) == HANDSHAKE && payload.u16(at + 3) > 0) {
      int there = Math.min(payload.u16(at + 3), payload.length() - at - RECORD_HEADER);
      System.arraycopy(payload.bytes(), payload.start() + at + RECORD_HEADER, joined, count, there);
      count += there;
      at += RECORD_HEADER + there;
    }
    Payload all = payload.from(0);
    return all.wrap(Arrays.copyOf(joined, count), 0, count);
  }
}
