package io.millrace.analytics.app;

import java.util.Locale;
import java.util.Optional;

/**
 * STUN and TURN (RFC 8489, RFC 8656, RFC 3489): the application, if an attribute has it. Media
 * between the same endpoints belong to it.
 *
 * <pre>
 *   type (2), length (2), magic (4), transaction (12); attributes: type (2), length (2), value
 * </pre>
 */
final class StunDissector implements Dissector {
  private static final long MAGIC = 0x2112A442L;
  private static final int HEADER = 20;
  private static final int REALM = 0x0014;
  private static final int NONCE = 0x0015;
  private static final int SOFTWARE = 0x8022;
  private static final long KEPT_MICROS = 600_000_000L;

  private final AppNames names;
  private final RecentEnds<String> callers;

  StunDissector(AppNames names, RecentEnds<String> callers) {
    this.names = names;
    this.callers = callers;
  }

  @Override
  public Result dissect(AppFlow flow, Payload payload) {
    boolean isOverTcp = payload.isTcp && payload.u16(0) == payload.length() - 2;
    Payload message = isOverTcp ? payload.from(2) : payload;
    boolean isStun = isMessage(message);
    if (!isStun) {
      return flow.appProtocol().equals("STUN") ? media(flow, payload) : Result.NO;
    }
    if (flow.isUnknown()) {
      flow.classify("STUN", Evidence.PAYLOAD);
    }
    if (flow.app().equals("STUN")) {
      relate(flow, payload.timeMicros);
    }
    String app = app(flow, message);
    if (app == null) {
      return Result.MORE;
    }
    flow.classify("STUN", app, Evidence.PAYLOAD);
    // The client endpoint may continue with other servers, and the server endpoint with other
    // clients.
    long until = payload.timeMicros + KEPT_MICROS;
    callers.put(flow.serverHigh(), flow.serverLow(), flow.serverPort(), app, until);
    callers.put(flow.clientHigh(), flow.clientLow(), flow.clientPort(), app, until);
    return Result.DONE;
  }

  void relate(AppFlow flow, long now) {
    String caller = caller(flow, now);
    if (caller != null) {
      flow.classify("STUN", caller, Evidence.RELATED);
    }
  }

  private String caller(AppFlow flow, long now) {
    String caller = callers.get(flow.serverHigh(), flow.serverLow(), flow.serverPort(), now);
    return caller == null
        ? callers.get(flow.clientHigh(), flow.clientLow(), flow.clientPort(), now)
        : caller;
  }

  static boolean isMessage(Payload message) {
    int type = message.u16(0);
    int length = message.u16(2);
    if (message.length() < HEADER || type > 0x3FFF || length % 4 != 0) {
      return false;
    }
    boolean hasMagic = message.u32(4) == MAGIC;
    if (hasMagic) {
      return HEADER + length <= message.length() + 4;
    }
    // There was no magic before RFC 5389: check length and ports instead.
    int method = type & 0x3EEF;
    boolean isBinding = method == 1 || method == 2;
    return isBinding && HEADER + length == message.length() && type != 0;
  }

  private String app(AppFlow flow, Payload message) {
    int at = HEADER;
    String found = null;
    while (at + 4 <= message.length()) {
      int type = message.u16(at);
      int length = message.u16(at + 2);
      String app = attribute(flow, message, type, at + 4, length);
      found = app == null ? found : app;
      at += 4 + (length + 3 & ~3);
    }
    return found;
  }

  private String attribute(AppFlow flow, Payload message, int type, int at, int length) {
    if (type >= 0x4000 && type <= 0x4007) {
      return "WhatsAppCall";
    }
    switch (type) {
      case 0x8054, 0x8055, 0x8057, 0x8070, 0x8068, 0x8095 -> {
        return "Skype_TeamsCall";
      }
      case 0xC057, 0xFF03, 0xC058 -> {
        return type == 0xC057 || type == 0xC058 ? null : "GoogleCall";
      }
      case REALM, SOFTWARE, NONCE -> {
        String text = message.text(at, length).toLowerCase(Locale.ROOT);
        return appBySoftware(flow, type, text);
      }
      default -> {
        return null;
      }
    }
  }

  private String appBySoftware(AppFlow flow, int type, String text) {
    if (type == REALM) {
      String realm = HostNames.clean(text);
      if (realm != null) {
        flow.setName(realm);
      }
      Optional<String> app = realm == null ? Optional.empty() : names.app(realm);
      if (app.isPresent()) {
        return callOf(app.get());
      }
    }
    if (text.contains("signal")) {
      return "SignalVoip";
    }
    if (text.contains("telegram")) {
      return "TelegramVoip";
    }
    if (text.contains("facebook") || text.contains("messenger")) {
      return "FacebookVoip";
    }
    return text.contains("facetime") ? "FaceTime" : null;
  }

  private static String callOf(String app) {
    return switch (app) {
      case "Signal" -> "SignalVoip";
      case "Telegram" -> "TelegramVoip";
      case "WhatsApp" -> "WhatsAppCall";
      case "Facebook" -> "FacebookVoip";
      case "Teams", "Skype_Teams", "Microsoft" -> "Skype_TeamsCall";
      case "Google" -> "GoogleCall";
      default -> app;
    };
  }

  private static Result media(AppFlow flow, Payload payload) {
    if (DtlsDissector.isRecord(payload, 0)) {
      return Result.NO; // leaves the ClientHello to the other dissector
    }
    if (RtpDissector.isRtp(payload) && flow.app().equals("STUN")) {
      flow.classify("STUN", "RTP", Evidence.PAYLOAD);
      return Result.DONE;
    }
    return Result.MORE;
  }
}
