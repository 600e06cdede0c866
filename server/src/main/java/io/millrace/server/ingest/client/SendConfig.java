package io.millrace.server.ingest.client;

import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoding;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Settings of a sender.
 *
 * @param url URL of the server, {@code http://HOST:PORT} or {@code https://…}
 * @param batch records per request or frame, at least 1
 * @param inFlight maximum unacknowledged requests or frames, at least 1
 * @param client client name for the deduplication of frames; not used by HTTP
 * @param token bearer token; empty for none
 * @param tls context with trusted certificates for https; empty for Java's
 * @param stream name of the stream
 * @param isPartial whether valid records are accepted if other records of the frame are invalid
 * @param attributes attributes of the records as a URL query, such as {@code backfill=true}; empty
 *     for none
 * @param timeout maximum time that the server may be unreachable, after a first success
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
    String stream,
    boolean isPartial,
    String attributes,
    Duration timeout) {
  /** Protocol of sending. */
  public enum Protocol {
    /** An HTTP request for each batch. */
    HTTP,
    /** A WebSocket frame for each batch, on one connection. */
    WEBSOCKET
  }

  /** Settings for records of gateways. */
  public SendConfig(
      URI url,
      Protocol protocol,
      RecordEncoding encoding,
      int batch,
      int inFlight,
      String client,
      Optional<String> token,
      Optional<SSLContext> tls,
      Duration timeout) {
    this(
        url,
        protocol,
        encoding,
        batch,
        inFlight,
        client,
        token,
        tls,
        GatewayRecords.SCHEMA.name(),
        false,
        "",
        timeout);
  }

  /** Returns a copy with these attributes. */
  public SendConfig withAttributes(String all) {
    return new SendConfig(
        url, protocol, encoding, batch, inFlight, client, token, tls, stream, isPartial, all,
        timeout);
  }

  /** Checks the numbers. */
  public SendConfig {
    if (batch < 1 || inFlight < 1) {
      throw new IllegalArgumentException(
          "batch " + batch + ", in flight " + inFlight + ": expected at least 1 each");
    }
  }

  /** URL of requests; also accepts a WebSocket URL of the server. */
  URI endpoint() {
    String scheme = isSecure() ? "https" : "http";
    String query = attributes.isEmpty() ? "" : "?" + attributes;
    return URI.create(scheme + "://" + url.getRawAuthority() + path() + query);
  }

  /** Path on the server. */
  String path() {
    return "/ingest/" + stream;
  }

  boolean isSecure() {
    return "https".equals(url.getScheme()) || "wss".equals(url.getScheme());
  }

  int port() {
    return url.getPort() >= 0 ? url.getPort() : isSecure() ? 443 : 80;
  }
}
