package io.millrace.analytics.app;

/**
 * DTLS over UDP (RFC 6347): like TLS, with an epoch and a number in each record and fragments of
 * messages with offsets.
 *
 * <pre>
 *   record:     type (1), version (2), epoch (2), number (6), length (2), fragment
 *   handshake:  type (1), length (3), number (2), offset (3), fragment's length (3), body
 * </pre>
 */
final class DtlsDissector implements Dissector {
  private static final int HANDSHAKE = 22;
  private static final int RECORD_HEADER = 13;
  private static final int MESSAGE_HEADER = 12;
  private static final int CLIENT_HELLO = 1;
  private static final int CERTIFICATE = 11;

  /** First port of Google's calls, as published for firewalls. */
  private static final int FIRST_GOOGLE_PORT = 19_302;

  private static final int LAST_GOOGLE_PORT = 19_309;

  private final TlsNames names;

  DtlsDissector(TlsNames names) {
    this.names = names;
  }

  @Override
  public Result dissect(AppFlow flow, Payload payload) {
    int at = 0;
    Result result = Result.NO;
    while (isRecord(payload, at)) {
      if (flow.isUnknown() || flow.appProtocol().equals("STUN")) {
        boolean isGoogles = isGoogles(flow.serverPort()) || isGoogles(flow.clientPort());
        flow.classify(
            "DTLS",
            isCall(flow) ? flow.app() : isGoogles ? "GoogleCall" : "DTLS",
            Evidence.PAYLOAD);
      }
      result = Result.MORE;
      if (payload.u8(at) == HANDSHAKE && payload.u16(at + 3) == 0) {
        Payload message = payload.from(at + RECORD_HEADER);
        int type = message.u8(0);
        int place = message.u24(6);
        if (type == CLIENT_HELLO && place == 0) {
          ClientHello hello = ClientHello.read(message, MESSAGE_HEADER, true);
          if (hello != null && names.classify(flow, hello, "DTLS", Evidence.TLS_SNI, payload)) {
            return Result.DONE;
          }
        } else if (type == CERTIFICATE
            && names.classifyByCertificate(
                flow, message, MESSAGE_HEADER, message.length(), "DTLS")) {
          return Result.DONE;
        }
      }
      at += RECORD_HEADER + payload.u16(at + 11);
    }
    return result;
  }

  private static boolean isGoogles(int port) {
    return port >= FIRST_GOOGLE_PORT && port <= LAST_GOOGLE_PORT;
  }

  private static boolean isCall(AppFlow flow) {
    return flow.appProtocol().equals("STUN") && !flow.app().equals("STUN");
  }

  static boolean isRecord(Payload payload, int at) {
    int type = payload.u8(at);
    int version = payload.u16(at + 1);
    return type >= 20
        && type <= 25
        && (version == 0xFEFF || version == 0xFEFD || version == 0xFEFC || version == 0x0100)
        && payload.u16(at + 11) > 0
        && payload.u16(at + 11) <= 16_384 + 2_048;
  }
}
