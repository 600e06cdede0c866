package io.millrace.analytics.app;

import io.millrace.wire.block.Addresses;
import java.util.Locale;
import java.util.Optional;

/**
 * DNS over UDP and TCP (RFC 1035), and its variants: mDNS, LLMNR, the name service of NetBIOS.
 * Answers are stored, so that flows to an address are identified by the queried name.
 *
 * <pre>
 *   id (2), flags (2), counts of questions, answers, authorities, additional records (2 each)
 *   question:  name, type (2), class (2)
 *   record:    name, type (2), class (2), time to live (4), length (2), value
 * </pre>
 */
final class DnsDissector implements Dissector {
  private static final int HEADER = 12;
  private static final int MAX_RECORDS = 64;
  private static final int MAX_LABELS = 64;
  private static final int TYPE_A = 1;
  private static final int TYPE_AAAA = 28;
  private static final int MDNS = 5353;
  private static final int LLMNR = 5355;
  private static final int NETBIOS_NAMES = 137;
  private static final long MICROS = 1_000_000;
  private static final long MIN_SECONDS = 300;
  private static final long MAX_SECONDS = 3_600;

  /** {@code app} is null if the name belongs to no known application. */
  record Answer(String name, String app) {}

  private final AppNames names;
  private final RecentEnds<Answer> answered;
  private final StringBuilder text = new StringBuilder();

  DnsDissector(AppNames names, RecentEnds<Answer> answered) {
    this.names = names;
    this.answered = answered;
  }

  @Override
  public Result dissect(AppFlow flow, Payload payload) {
    Payload message = payload;
    if (payload.isTcp) {
      int length = payload.u16(0);
      if (length < HEADER || (length > payload.length() && !payload.hasPort(53))) {
        return Result.NO;
      }
      message = payload.from(2);
    }
    boolean isUsualPort =
        payload.hasPort(53)
            || payload.hasPort(MDNS)
            || payload.hasPort(LLMNR)
            || payload.hasPort(NETBIOS_NAMES);
    if (!isHeader(message, isUsualPort)) {
      return Result.NO;
    }
    int next = name(message, HEADER);
    int questions = message.u16(4);
    boolean hasName = questions == 0 || (next > 0 && message.u16(next + 2) >= 0);
    if (!isUsualPort && !(hasName && questions == 1 && isWhole(message, next))) {
      return Result.NO;
    }
    String appProtocol = appProtocol(payload);
    boolean hasQuery = questions > 0 && next > 0;
    String query = hasQuery ? text.toString().toLowerCase(Locale.ROOT) : "";
    return verdict(flow, message, appProtocol, query, questions > 0 ? next + 4 : HEADER);
  }

  private static boolean isHeader(Payload message, boolean isUsualPort) {
    if (message.length() < HEADER) {
      return false;
    }
    int operation = message.u8(2) >>> 3 & 15;
    int questions = message.u16(4);
    int records = message.u16(6) + message.u16(8) + message.u16(10);
    boolean isKnownOperation = operation <= 6;
    return isUsualPort
        ? isKnownOperation && questions <= 64 && records <= 512 && questions + records > 0
        : isKnownOperation && questions == 1 && records <= 64 && (message.u8(3) & 0x40) == 0;
  }

  private static boolean isWhole(Payload message, int next) {
    int type = message.u16(next);
    int kind = message.u16(next + 2);
    boolean isKnown = type >= 1 && type <= 260 && (kind == 1 || kind == 255 || kind == 3);
    int records = message.u16(6) + message.u16(8) + message.u16(10);
    return isKnown && (records > 0 || next + 4 == message.length());
  }

  private static String appProtocol(Payload payload) {
    if (payload.hasPort(MDNS)) {
      return "MDNS";
    }
    return payload.hasPort(LLMNR) ? "LLMNR" : payload.hasPort(NETBIOS_NAMES) ? "NetBIOS" : "DNS";
  }

  private Result verdict(
      AppFlow flow, Payload message, String appProtocol, String query, int recordsAt) {
    boolean isAnswer = (message.u8(2) & 0x80) != 0;
    String host = query.isEmpty() ? null : HostNames.clean(query);
    boolean isSure = appProtocol.equals("DNS");
    if (flow.isUnknown()) {
      flow.classify(appProtocol, Evidence.PAYLOAD);
      if (host != null && isSure) {
        flow.setName(host);
        Optional<String> app = names.app(host);
        if (app.isPresent()) {
          flow.classify(appProtocol, app.get(), Evidence.DNS_QUERY);
        } else if (host.contains(".dnscrypt-cert.")) {
          flow.classify(appProtocol, "DNScrypt", Evidence.DNS_QUERY);
        }
      }
    }
    if (isAnswer && host != null && isSure) {
      answers(message, host, recordsAt);
    }
    // A flow to a resolver may have many answers with addresses.
    return isAnswer || !isSure ? Result.DONE : Result.MORE;
  }

  private void answers(Payload message, String host, int from) {
    int count = Math.min(MAX_RECORDS, message.u16(6));
    Answer named = new Answer(host, names.app(host).orElse(null));
    int at = from;
    for (int i = 0; i < count; i++) {
      at = afterName(message, at);
      int type = message.u16(at);
      int length = message.u16(at + 8);
      if (at < 0 || length < 0) {
        return;
      }
      long seconds = Math.max(MIN_SECONDS, Math.min(MAX_SECONDS, message.u32(at + 4)));
      long until = message.timeMicros + seconds * MICROS;
      int value = at + 10;
      if (type == TYPE_A && length == 4 && message.u32(value) >= 0) {
        long low = Addresses.v4Low((int) message.u32(value));
        answered.put(0, low, RecentEnds.ANY_PORT, named, until);
      } else if (type == TYPE_AAAA && length == 16 && message.u32(value + 12) >= 0) {
        long high = message.u32(value) << 32 | message.u32(value + 4);
        long low = message.u32(value + 8) << 32 | message.u32(value + 12);
        answered.put(high, low, RecentEnds.ANY_PORT, named, until);
      }
      at = value + length;
    }
  }

  private static int afterName(Payload message, int from) {
    int at = from;
    for (int labels = 0; labels < MAX_LABELS; labels++) {
      int length = message.u8(at);
      if (length < 0) {
        return -1;
      }
      if (length == 0) {
        return at + 1;
      }
      if (length >= 0xC0) {
        return at + 2;
      }
      at += 1 + length;
    }
    return -1;
  }

  /** Reads a name into the text, without following pointers; returns its end, or −1. */
  private int name(Payload message, int from) {
    text.setLength(0);
    int at = from;
    for (int labels = 0; labels < MAX_LABELS; labels++) {
      int length = message.u8(at);
      if (length == 0) {
        return at + 1;
      }
      if (length >= 0xC0) {
        return at + 2;
      }
      if (length < 0 || length > 63 || at + 1 + length > message.length()) {
        return -1;
      }
      if (text.length() > 0) {
        text.append('.');
      }
      for (int i = 0; i < length; i++) {
        text.append((char) message.u8(at + 1 + i));
      }
      at += 1 + length;
    }
    return -1;
  }
}
