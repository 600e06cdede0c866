package io.millrace.analytics.app;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** HTTP/1 (RFC 9112): by the head of the request, or else of the response. */
final class HttpDissector implements Dissector {
  private static final int MAX_HEAD = 8_192;
  private static final int MAX_FIRST_LINE = 4_096;
  private static final Set<String> METHODS =
      Set.of("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PATCH");
  private static final Set<String> WEBDAV =
      Set.of(
          "PROPFIND",
          "PROPPATCH",
          "MKCOL",
          "COPY",
          "MOVE",
          "LOCK",
          "UNLOCK",
          "REPORT",
          "SEARCH",
          "CHECKOUT",
          "MKACTIVITY",
          "MERGE",
          "BIND",
          "ACL");
  private static final int LONGEST_METHOD = 10;
  private static final int PLAYLIST_WITHIN = 64;

  private static final Map<String, String> AGENTS =
      Map.ofEntries(
          Map.entry("spotify", "Spotify"),
          Map.entry("windows-update-agent", "WindowsUpdate"),
          Map.entry("microsoft bits", "WindowsUpdate"),
          Map.entry("microsoft-delivery-optimization", "WindowsUpdate"),
          Map.entry("valve/steam", "Steam"),
          Map.entry("bittorrent", "BitTorrent"),
          Map.entry("utorrent", "BitTorrent"),
          Map.entry("transmission/", "BitTorrent"),
          Map.entry("azureus", "BitTorrent"),
          Map.entry("ocs-ng", "OCS"),
          Map.entry("whatsapp", "WhatsApp"),
          Map.entry("micromessenger", "WeChat"),
          Map.entry("viber", "Viber"),
          Map.entry("dropbox", "Dropbox"),
          Map.entry("itunes", "AppleiTunes"),
          Map.entry("ocspd", "OCSP"),
          Map.entry("captivenetworksupport", "Apple"),
          Map.entry("netflix", "NetFlix"),
          Map.entry("teamviewer", "TeamViewer"),
          Map.entry("git/", "Git"),
          Map.entry("xbox", "Xbox"),
          Map.entry("playstation", "Playstation"));

  private static final List<Map.Entry<String, String>> CONTENTS =
      List.of(
          Map.entry("application/dash+xml", "MpegDash"),
          Map.entry("video/mp4", "MpegDash"),
          Map.entry("application/vnd.apple.mpegurl", "HLS"),
          Map.entry("application/x-mpegurl", "HLS"),
          Map.entry("audio/mpegurl", "HLS"),
          Map.entry("audio/x-mpegurl", "HLS"),
          Map.entry("application/ipp", "IPP"),
          Map.entry("application/ocsp-re", "OCSP"),
          Map.entry("application/dns-message", "DoH_DoT"),
          Map.entry("application/soap+xml", "SOAP"),
          Map.entry("application/json-rpc", "JSON-RPC"),
          Map.entry("application/vnd.ms-sync", "ActiveSync"),
          Map.entry("application/x-bittorrent", "BitTorrent"),
          Map.entry("application/x-git-", "Git"));

  private final AppNames names;

  HttpDissector(AppNames names) {
    this.names = names;
  }

  @Override
  public Result dissect(AppFlow flow, Payload payload) {
    if (payload.startsWith("HTTP/1.") || payload.startsWith("HTTP/0.")) {
      return response(flow, payload);
    }
    String method = method(payload);
    if (method == null) {
      return flow.appProtocol().startsWith("HTTP") && !flow.isUnknown() ? Result.MORE : Result.NO;
    }
    int lineEnd = payload.find("\n", 0, MAX_FIRST_LINE);
    String line =
        payload.text(0, lineEnd < 0 ? Math.min(payload.length(), MAX_FIRST_LINE) : lineEnd);
    int version = line.lastIndexOf(" HTTP/");
    if (lineEnd >= 0 && version < 0) {
      return Result.NO; // RTSP and SIP look similar
    }
    String target = line.substring(method.length() + 1, version < 0 ? line.length() : version);
    boolean isProxied = target.startsWith("http://");
    String appProtocol =
        method.equals("CONNECT") ? "HTTP_Connect" : isProxied ? "HTTP_Proxy" : "HTTP";
    if (flow.isUnknown()) {
      flow.classify(appProtocol, Evidence.PAYLOAD);
    }
    return request(flow, payload, appProtocol, method, target);
  }

  private static String method(Payload payload) {
    int first = payload.u8(0);
    if (first < 'A' || first > 'Z') {
      return null;
    }
    int blank = payload.find(" ", 1, LONGEST_METHOD + 1);
    if (blank < 0) {
      return null;
    }
    String method = payload.text(0, blank);
    return METHODS.contains(method) || WEBDAV.contains(method) ? method : null;
  }

  private Result request(
      AppFlow flow, Payload payload, String appProtocol, String method, String target) {
    int end = payload.find("\r\n\r\n", 0, MAX_HEAD);
    int limit = end < 0 ? Math.min(payload.length(), MAX_HEAD) : end + 2;
    String host = field(payload, "host", limit);
    if (host == null && appProtocol.equals("HTTP_Connect")) {
      host = target;
    } else if (host == null && appProtocol.equals("HTTP_Proxy")) {
      int slash = target.indexOf('/', "http://".length());
      host = target.substring("http://".length(), slash < 0 ? target.length() : slash);
    }
    String name = host == null ? null : HostNames.clean(host);
    if (name != null) {
      flow.setName(name);
    }
    String special = special(payload, method, target, limit);
    if (special != null) {
      flow.classify(appProtocol, special, Evidence.HTTP_HEAD);
      return Result.DONE;
    }
    if (name != null) {
      Optional<String> app = names.app(name);
      if (app.isPresent()) {
        flow.classify(appProtocol, app.get(), Evidence.HTTP_HOST);
        return Result.DONE;
      }
      flow.classify(appProtocol, Evidence.HTTP_HOST);
    }
    if (target.endsWith(".mp4")) {
      flow.classify(
          appProtocol, "MpegDash", Evidence.HTTP_HEAD); // same as nDPI's label of all MP4 video
      return Result.DONE;
    }
    String agent = field(payload, "user-agent", limit);
    if (agent != null) {
      String lower = agent.toLowerCase(Locale.ROOT);
      for (Map.Entry<String, String> known : AGENTS.entrySet()) {
        if (lower.contains(known.getKey())) {
          flow.classify(appProtocol, known.getValue(), Evidence.HTTP_HEAD);
          return Result.DONE;
        }
      }
    }
    return Result.MORE;
  }

  private static String special(Payload payload, String method, String target, int limit) {
    if (WEBDAV.contains(method)) {
      return "WebDAV";
    }
    if (target.contains("info_hash=")) {
      return "BitTorrent";
    }
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    if (path.endsWith(".mpd") || path.endsWith(".m4s") || path.endsWith("/init.mp4")) {
      return "MpegDash";
    }
    if (path.startsWith("/speedtest/")) {
      return "Ookla"; // path on Ookla's test servers
    }
    if (target.contains("service=git-") || target.endsWith("/git-upload-pack")) {
      return "Git";
    }
    if (payload.findIgnoringCase("\nsoapaction:", 0, limit) >= 0) {
      return "SOAP";
    }
    String upgrade = field(payload, "upgrade", limit);
    if (upgrade != null && upgrade.equalsIgnoreCase("websocket")) {
      return "WebSocket";
    }
    String content = content(payload, limit);
    if (content == null && payload.find("\"jsonrpc\"", limit, limit + 512) >= 0) {
      return "JSON-RPC";
    }
    return content;
  }

  private static String content(Payload payload, int limit) {
    String type = field(payload, "content-type", limit);
    if (type == null) {
      return null;
    }
    String lower = type.toLowerCase(Locale.ROOT);
    for (Map.Entry<String, String> known : CONTENTS) {
      if (lower.startsWith(known.getKey())) {
        return known.getValue();
      }
    }
    return null;
  }

  private static Result response(AppFlow flow, Payload payload) {
    if (flow.isUnknown()) {
      flow.classify("HTTP", Evidence.PAYLOAD);
    }
    int end = payload.find("\r\n\r\n", 0, MAX_HEAD);
    if (end < 0 && payload.length() < MAX_HEAD) {
      return Result.MORE;
    }
    int limit = end < 0 ? MAX_HEAD : end + 2;
    String app = content(payload, limit);
    if (app == null && payload.find("#EXTM3U", limit, limit + PLAYLIST_WITHIN) >= 0) {
      app = "HLS";
    }
    if (app == null && field(payload, "icy-name", limit) != null) {
      app = "IceCast";
    }
    if (app != null && flow.app().equals(flow.appProtocol())) {
      flow.classify(flow.appProtocol(), app, Evidence.HTTP_HEAD);
    }
    return Result.DONE;
  }

  /** A field of the head; null if incomplete. */
  private static String field(Payload payload, String lower, int limit) {
    int at = payload.findIgnoringCase("\n" + lower + ":", 0, limit);
    if (at < 0) {
      return null;
    }
    int from = at + lower.length() + 2;
    int end = payload.find("\r", from, limit);
    end = end < 0 ? payload.find("\n", from, limit) : end;
    return end < 0 ? null : payload.text(from, end - from).strip();
  }
}
