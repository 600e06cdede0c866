package io.millrace.analytics.app;

import java.util.Optional;
import java.util.regex.Pattern;

final class TlsNames {
  private static final String DOH = "DoH_DoT";

  /** Port of Sonos players according to Sonos; IANA lists another protocol. */
  private static final int SONOS_CONTROL = 1443;

  private static final int MAX_CERTIFICATE_NAMES = 16;
  private static final Pattern TOR =
      Pattern.compile("www\\.(?=[a-z2-7]{8,25}\\.)[a-z2-7]*[a-z][2-7]+[a-z][a-z2-7]*\\.(com|net)");

  private final AppNames names;

  TlsNames(AppNames names) {
    this.names = names;
  }

  /** Protocol inside TLS by its dedicated port, or else {@code otherwise}. */
  static String appProtocol(Payload payload, String otherwise) {
    if (!payload.isTcp) {
      return otherwise;
    }
    int port = Math.min(payload.sourcePort, payload.destinationPort);
    return switch (port) {
      case 465 -> "SMTPS";
      case 636, 3269 -> "LDAPS";
      case 989, 990 -> "FTPS";
      case 993 -> "IMAPS";
      case 995 -> "POPS";
      default -> otherwise;
    };
  }

  boolean classify(
      AppFlow flow, ClientHello hello, String appProtocol, Evidence evidence, Payload payload) {
    String name = hello.serverName == null ? null : HostNames.clean(hello.serverName);
    if (name != null) {
      flow.setName(name);
      Optional<String> app = names.app(name);
      if (app.isPresent()) {
        flow.classify(appProtocol, app.get(), evidence);
        return true;
      }
    }
    if (payload.isTcp && payload.hasPort(SONOS_CONTROL)) {
      flow.classify(appProtocol, "Sonos", evidence);
      return true;
    }
    if (name != null && hello.alpn.isEmpty() && isOfTor(name)) {
      flow.classify(appProtocol, "Tor", evidence);
      return true;
    }
    if (hello.offers("dot")
        || hello.alpn.contains(" doq")
        || payload.hasPort(853)
        || (payload.hasPort(784) && !payload.isTcp)) {
      flow.classify(appProtocol, DOH, Evidence.TLS_ALPN);
      return true;
    }
    if (hello.alpn.contains(" xmpp-client")) {
      flow.classify(appProtocol, "Jabber", Evidence.TLS_ALPN);
      return true;
    }
    if (hello.offers("mqtt") || hello.offers("x-amzn-mqtt-ca")) {
      flow.classify(appProtocol, "MQTT", Evidence.TLS_ALPN);
      return true;
    }
    if (hello.offers("h3-fb-05") || hello.alpn.contains(" fbns")) {
      flow.classify(appProtocol, "Facebook", Evidence.TLS_ALPN);
      return true;
    }
    if (flow.isUnknown()) {
      flow.classify(appProtocol, name == null ? Evidence.PAYLOAD : evidence);
    }
    return false;
  }

  /**
   * Whether a server name is like those that Tor relays generate: base 32 letters and digits
   * between www and com or net. Few other names have digits in the middle, and their clients offer
   * protocols (ALPN).
   */
  private static boolean isOfTor(String name) {
    return TOR.matcher(name).matches();
  }

  /**
   * Updates the flow by the names in a certificate (RFC 5280 sections 4.1.2.6 and 4.2.1.6), which
   * are found by their tags: common names, and alternative names of hosts. The subject's names come
   * after the issuer's, so later ones take precedence.
   */
  boolean classifyByCertificate(
      AppFlow flow, Payload bytes, int from, int end, String appProtocol) {
    String seen = null;
    int found = 0;
    for (int at = from; at + 5 < end && found < MAX_CERTIFICATE_NAMES; at++) {
      int first = bytes.u8(at);
      String name = null;
      boolean isCommonName = first == 0x06 && bytes.u32(at + 1) == 0x03550403L;
      if (isCommonName) {
        name = text(bytes, at + 6, end);
      } else if (first == 0x82 && bytes.u8(at + 1) > 3) {
        name = text(bytes, at + 1, end);
      }
      String host = name == null || name.indexOf('.') < 0 ? null : HostNames.clean(name);
      if (host != null) {
        found++;
        seen = seen == null ? host : seen;
        String bare = host.startsWith("*.") ? host.substring(2) : host;
        Optional<String> app = names.app(bare);
        if (app.isPresent()) {
          if (flow.name() == null) {
            flow.setName(host);
          }
          flow.classify(appProtocol, app.get(), Evidence.TLS_CERTIFICATE);
          return true;
        }
      }
    }
    if (flow.name() == null && seen != null) {
      flow.setName(seen);
    }
    return false;
  }

  private static String text(Payload bytes, int lengthAt, int end) {
    int length = bytes.u8(lengthAt);
    if (length <= 0 || length > 127 || lengthAt + 1 + length > end) {
      return null;
    }
    String text = bytes.text(lengthAt + 1, length);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isOfHost = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!isOfHost && "-.*_".indexOf(c) < 0) {
        return null;
      }
    }
    return text;
  }
}
