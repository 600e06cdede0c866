package io.millrace.analytics.app;

/**
 * Detects RTP and RTCP (RFC 3550), which have no magic number. Two packets with the same SSRC and
 * sequence numbers at most {@value #MAX_STEP} apart are RTP. A packet of RTCP reports whose lengths
 * add up to its length is RTCP.
 */
final class RtpDissector implements Dissector {
  private static final int HEADER = 12;
  private static final int MAX_STEP = 16;
  private static final int MAX_TRAILER = 18; // index and tag of SRTCP

  private record Last(long source, int number, int type, boolean fromClient) {}

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
    int at = 0;
    boolean isReport = payload.u8(1) >= 200 && payload.u8(1) <= 207;
    while ((payload.u8(at) & 0xC0) == 0x80
        && payload.u8(at + 1) >= 200
        && payload.u8(at + 1) <= 207
        && payload.u16(at + 2) > 0) {
      at += 4 * (payload.u16(at + 2) + 1);
    }
    return isReport && at >= 8 && at <= payload.length() && payload.length() - at <= MAX_TRAILER;
  }

  @Override
  public Result dissect(AppFlow flow, Payload payload) {
    if (payload.isTcp || !flow.isUnknown()) {
      return Result.NO;
    }
    if (isRtcp(payload)) {
      flow.classify("RTCP", Evidence.PAYLOAD);
      return Result.DONE;
    }
    if (!isRtp(payload)) {
      return Result.NO;
    }
    int number = payload.u16(2);
    if (flow.classifierState instanceof Last last
        && last.fromClient == payload.fromClient
        && last.source == payload.u32(8)
        && last.type == (payload.u8(1) & 0x7F)
        && (number - last.number & 0xFFFF) >= 1
        && (number - last.number & 0xFFFF) <= MAX_STEP) {
      flow.classify("RTP", Evidence.PAYLOAD);
      return Result.DONE;
    }
    flow.classifierState =
        new Last(payload.u32(8), number, payload.u8(1) & 0x7F, payload.fromClient);
    return Result.NO;
  }
}
