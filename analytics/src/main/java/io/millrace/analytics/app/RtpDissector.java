package io.millrace.analytics.app;

/**
 * RTP and RTCP (RFC 3550), which have no magic: two packets of one source whose numbers follow each
 * other are RTP, one whose lengths add up is RTCP.
 */
final class RtpDissector implements Dissector {
  private static final int HEADER = 12;
  private static final int MAX_STEP = 64;

  /** What the last packet that may have been RTP said. */
  private record Last(long source, int number, boolean fromClient) {}

  static boolean isRtp(Payload payload) {
    int first = payload.u8(0);
    int type = payload.u8(1);
    return payload.length() >= HEADER
        && (first & 0xC0) == 0x80
        && HEADER + 4 * (first & 15) <= payload.length()
        && (type < 192 || type > 223)
        && ((type & 0x7F) <= 34 || (type & 0x7F) >= 96)
        && payload.u32(8) != 0;
  }

  static boolean isRtcp(Payload payload) {
    int type = payload.u8(1);
    int length = 4 * (payload.u16(2) + 1);
    return payload.length() >= 8
        && (payload.u8(0) & 0xC0) == 0x80
        && type >= 200
        && type <= 207
        && length >= 8
        && length <= payload.length();
  }

  @Override
  public Result look(AppFlow flow, Payload payload) {
    if (payload.isTcp) {
      return Result.NO;
    }
    if (isRtcp(payload)) {
      flow.speaks("RTCP", KnownBy.PAYLOAD);
      return Result.DONE;
    }
    if (!isRtp(payload)) {
      return Result.NO;
    }
    int number = payload.u16(2);
    if (flow.notes instanceof Last last
        && last.fromClient == payload.fromClient
        && last.source == payload.u32(8)
        && (number - last.number & 0xFFFF) <= MAX_STEP) {
      flow.speaks("RTP", KnownBy.PAYLOAD);
      return Result.DONE;
    }
    flow.notes = new Last(payload.u32(8), number, payload.fromClient);
    return Result.NO;
  }
}
