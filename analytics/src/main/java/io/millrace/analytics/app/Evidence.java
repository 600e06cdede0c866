package io.millrace.analytics.app;

import java.util.Locale;

/**
 * How the application of a flow was known: what was looked at, the surest first. The order is part
 * of checkpoints: new ones come at the end.
 */
public enum Evidence {
  /** The name in the client's TLS greeting. */
  TLS_SNI,
  /** What the client's TLS greeting offers to speak. */
  TLS_ALPN,
  /** A name in the server's certificate. */
  TLS_CERTIFICATE,
  /** The name in the client's QUIC greeting. */
  QUIC_SNI,
  /** The host that an HTTP request names. */
  HTTP_HOST,
  /** What else stands in the head of an HTTP request or answer. */
  HTTP_HEAD,
  /** The name that is asked for. */
  DNS_QUERY,
  /** What stands in the payload. */
  PAYLOAD,
  /** The protocol of IP itself. */
  IP_PROTOCOL,
  /** Another flow that has announced this one or had the same end. */
  RELATED,
  /** The name for which the server's address was recently an answer. */
  DNS_ANSWER,
  /** The port alone. */
  PORT,
  /** Not known. */
  NOTHING,
  /** What nDPI found, where it is the classifier. */
  NDPI,
  /** The range of addresses that an application publishes. */
  ADDRESS;

  /** Its name in tables: {@code tls-sni}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
