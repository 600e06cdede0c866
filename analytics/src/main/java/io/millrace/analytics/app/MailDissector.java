package io.millrace.analytics.app;

import java.util.Locale;

/**
 * Protocols in which a server greets with a line and the client sends commands: SMTP, POP3, IMAP,
 * FTP, NNTP. After STARTTLS, ClientHello and certificate are examined too.
 */
final class MailDissector implements Dissector {
  private static final int LINE = 256;
  private static final int SEARCHED = 4_096;

  private final TlsDissector tls;
  private final RecentEnds<String> announced;

  MailDissector(TlsDissector tls, RecentEnds<String> announced) {
    this.tls = tls;
    this.announced = announced;
  }

  @Override
  public Result dissect(AppFlow flow, Payload payload) {
    if (!payload.isTcp) {
      return Result.NO;
    }
    if (flow.isUnknown()) {
      String appProtocol = appProtocol(payload);
      if (appProtocol == null) {
        return Result.NO;
      }
      flow.classify(appProtocol, Evidence.PAYLOAD);
    }
    String secured = secured(flow.appProtocol());
    if (secured == null) {
      return Result.DONE;
    }
    announce(flow, payload);
    return isSecuredNow(flow, payload, secured);
  }

  private static String appProtocol(Payload payload) {
    int first = payload.u8(0);
    if ((payload.fromClient && first >= 'A') || first >= 'a') {
      return ofClient(payload);
    }
    return ofServer(payload);
  }

  private static String ofClient(Payload payload) {
    if (payload.hasIgnoringCase(0, "ehlo ")
        || payload.hasIgnoringCase(0, "helo ")
        || payload.hasIgnoringCase(0, "mail from:")) {
      return "SMTP";
    }
    if (payload.hasIgnoringCase(0, "mode reader")
        || payload.hasIgnoringCase(0, "authinfo ")
        || payload.hasIgnoringCase(0, "group ")) {
      return "Usenet";
    }
    boolean isMail = payload.hasPort(110) || payload.hasPort(995);
    if (payload.hasIgnoringCase(0, "capa\r\n")
        || payload.hasIgnoringCase(0, "apop ")
        || (isMail && payload.hasIgnoringCase(0, "user "))) {
      return "POP3";
    }
    boolean isFiles = payload.hasPort(21);
    if (payload.hasIgnoringCase(0, "auth tls")
        || payload.hasIgnoringCase(0, "auth ssl")
        || (isFiles && payload.hasIgnoringCase(0, "user "))
        || (isFiles && payload.hasIgnoringCase(0, "feat"))) {
      return "FTP_CONTROL";
    }
    // Only IMAP has a tag before commands.
    int blank = payload.find(" ", 1, 12);
    boolean isTagged =
        blank > 0
            && (payload.hasIgnoringCase(blank + 1, "capability")
                || payload.hasIgnoringCase(blank + 1, "login ")
                || payload.hasIgnoringCase(blank + 1, "starttls")
                || payload.hasIgnoringCase(blank + 1, "authenticate ")
                || payload.hasIgnoringCase(blank + 1, "select "));
    return isTagged ? "IMAP" : null;
  }

  private static String ofServer(Payload payload) {
    if (payload.startsWith("+OK") && (payload.u8(3) == ' ' || payload.u8(3) == '\r')) {
      return payload.hasPort(6379) ? null : "POP3";
    }
    if (payload.startsWith("* OK") || payload.startsWith("* PREAUTH")) {
      return "IMAP";
    }
    String line = payload.text(0, LINE).toLowerCase(Locale.ROOT);
    if (payload.startsWith("220 ") || payload.startsWith("220-")) {
      boolean isMailPort =
          payload.hasPort(25)
              || payload.hasPort(587)
              || payload.hasPort(465)
              || payload.hasPort(2525);
      if (line.contains("ftp") || payload.hasPort(21)) {
        return "FTP_CONTROL";
      }
      return isMailPort || line.contains("smtp") || line.contains("mail") ? "SMTP" : null;
    }
    if ((payload.startsWith("200 ") || payload.startsWith("201 "))
        && (line.contains("nntp") || line.contains("news") || payload.hasPort(119))) {
      return "Usenet";
    }
    boolean isReply = line.length() > 4 && (line.charAt(3) == ' ' || line.charAt(3) == '-');
    if (isReply && isNumber(line)) {
      return payload.hasPort(21)
          ? "FTP_CONTROL"
          : payload.hasPort(25) || payload.hasPort(587) ? "SMTP" : null;
    }
    return null;
  }

  private static boolean isNumber(String line) {
    for (int i = 0; i < 3; i++) {
      if (line.charAt(i) < '0' || line.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }

  private static String secured(String appProtocol) {
    return switch (appProtocol) {
      case "SMTP", "SMTPS" -> "SMTPS";
      case "POP3", "POPS" -> "POPS";
      case "IMAP", "IMAPS" -> "IMAPS";
      case "FTP_CONTROL", "FTPS" -> "FTPS";
      default -> null;
    };
  }

  private Result isSecuredNow(AppFlow flow, Payload payload, String secured) {
    int at = payload.fromClient ? afterCommand(payload) : afterConsent(payload, flow);
    if (at < 0) {
      return Result.MORE;
    }
    if (!flow.appProtocol().equals(secured)) {
      flow.classify(secured, Evidence.PAYLOAD);
    }
    Payload rest = payload.from(at);
    if (rest.length() == 0) {
      return Result.MORE;
    }
    // The TLS dissector overwrites the protocol, so set the mail protocol again.
    Result result = tls.dissect(flow, rest);
    String app = flow.app().equals(flow.appProtocol()) ? secured : flow.app();
    flow.classify(secured, app, flow.evidence());
    return result == Result.DONE ? Result.DONE : Result.MORE;
  }

  private static int afterCommand(Payload payload) {
    for (String command :
        new String[] {"starttls\r\n", "stls\r\n", "auth tls\r\n", "auth ssl\r\n"}) {
      int at = payload.findIgnoringCase(command, 0, SEARCHED);
      if (at >= 0) {
        return at + command.length();
      }
    }
    return -1;
  }

  private static int afterConsent(Payload payload, AppFlow flow) {
    if (secured(flow.appProtocol()) == null || !flow.appProtocol().endsWith("S")) {
      return -1;
    }
    int at = payload.find("\r\n\u0016\u0003", 0, SEARCHED);
    return at < 0 ? -1 : at + 2;
  }

  /** Registers the ports of data connections (RFC 959 section 4.1.2, RFC 2428). */
  private void announce(AppFlow flow, Payload payload) {
    if (!flow.appProtocol().startsWith("FTP")) {
      return;
    }
    long until = payload.timeMicros + 300_000_000L;
    String text = payload.text(0, SEARCHED);
    int passive = payload.fromClient ? -1 : text.lastIndexOf("227 ");
    int active = payload.fromClient ? text.lastIndexOf("PORT ") : -1;
    int extended = payload.fromClient ? -1 : text.lastIndexOf("(|||");
    if (passive >= 0 || active >= 0) {
      int port = lastTwoOfSix(text.substring(Math.max(passive, active) + 4));
      boolean isServer = passive >= 0;
      if (port > 0) {
        announced.put(
            isServer ? flow.serverHigh() : flow.clientHigh(),
            isServer ? flow.serverLow() : flow.clientLow(),
            port,
            "FTP_DATA",
            until);
      }
    }
    if (extended >= 0) {
      int end = text.indexOf('|', extended + 4);
      String digits = end < 0 ? "" : text.substring(extended + 4, end);
      if (digits.matches("\\d{1,5}")) {
        int port = Integer.parseInt(digits);
        announced.put(flow.serverHigh(), flow.serverLow(), port, "FTP_DATA", until);
      }
    }
  }

  /** The port of {@code h1,h2,h3,h4,p1,p2} anywhere in the line; −1 if absent. */
  private static int lastTwoOfSix(String text) {
    java.util.regex.Matcher six =
        java.util.regex.Pattern.compile("\\d{1,3},\\d{1,3},\\d{1,3},\\d{1,3},(\\d{1,3}),(\\d{1,3})")
            .matcher(text);
    return six.find() ? Integer.parseInt(six.group(1)) * 256 + Integer.parseInt(six.group(2)) : -1;
  }
}
