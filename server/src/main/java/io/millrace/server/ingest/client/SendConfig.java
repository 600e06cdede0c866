package io.millrace.server.ingest.client;

import io.millrace.wire.record.RecordEncoding;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How records are sent.
 *
 * @param url of the server, {@code http://HOST:PORT} or {@code https://…}
 * @param protocol of sending
 * @param encoding of the records
 * @param batch records a request or frame, at least 1
 * @param inFlight requests or frames that may wait for an acknowledgement, at least 1
 * @param client name under which a server remembers frames; not used by HTTP
 * @param token what the server wants to see; empty for nothing
 * @param tls whom to trust, for https; empty for the certificates of Java
 * @param path of the server to which they are sent
 * @param isPartial whether the right records of a frame are kept where others are wrong
 * @param isBackfill whether the records are history of gateways
 * @param patience how long a server that was there may be out of reach before sending fails
 */
public record SendConfig(
    URI url,
    Protocol protocol,
    RecordEncoding encoding,
    int batch,
    int inFlight,
    String client,
    Optional<String> token,
    Optional<SSLContext> tls,
    String path,
    boolean isPartial,
    boolean isBackfill,
    Duration patience) {
  /** How records travel. */
  public enum Protocol {
    /** A request for each batch. */
    HTTP,
    /** A frame for each batch, on one connection. */
    WEBSOCKET
  }

  private static final String GATEWAYS = "/v1/gateways";

  /** For records of gateways. */
  public SendConfig(
      URI url,
      Protocol protocol,
      RecordEncoding encoding,
      int batch,
      int inFlight,
      String client,
      Optional<String> token,
      Optional<SSLContext> tls,
      Duration patience) {
    this(
        url, protocol, encoding, batch, inFlight, client, token, tls, GATEWAYS, false, false,
        patience);
  }

  /** The same for history of gateways, or not. */
  public SendConfig withBackfill(boolean isHistory) {
    return new SendConfig(
        url, protocol, encoding, batch, inFlight, client, token, tls, path, isPartial, isHistory,
        patience);
  }

  /** Checks the numbers. */
  public SendConfig {
    if (batch < 1 || inFlight < 1) {
      throw new IllegalArgumentException(
          "batch " + batch + ", in flight " + inFlight + ": at least 1 each is expected");
    }
  }

  /** Where requests go; a URL for WebSocket names the same server. */
  URI endpoint() {
    String scheme = isSecure() ? "https" : "http";
    String query = isBackfill ? "?backfill=true" : "";
    return URI.create(scheme + "://" + url.getRawAuthority() + path + query);
  }

  boolean isSecure() {
    return "https".equals(url.getScheme()) || "wss".equals(url.getScheme());
  }

  int port() {
    return url.getPort() >= 0 ? url.getPort() : isSecure() ? 443 : 80;
  }
}
