package io.millrace.analytics.app;

import java.util.Locale;

/**
 * Evidence for a flow's application. Checkpoints contain the ordinal, so new values must be
 * appended; the order does not express strength.
 */
public enum Evidence {
  /** Server name in the TLS ClientHello. */
  TLS_SNI,
  /** Protocols offered in the TLS ClientHello. */
  TLS_ALPN,
  /** A name in the server's certificate. */
  TLS_CERTIFICATE,
  /** Server name in the QUIC ClientHello. */
  QUIC_SNI,
  /** Host of an HTTP request. */
  HTTP_HOST,
  /** Other fields in the head of an HTTP request or response. */
  HTTP_HEAD,
  /** Queried name. */
  DNS_QUERY,
  /** Signature in the payload. */
  PAYLOAD,
  /** IP protocol number. */
  IP_PROTOCOL,
  /** Another flow, which announced this one or had the same endpoint. */
  RELATED,
  /** Name of a recent DNS answer with the server's address. */
  DNS_ANSWER,
  /** Port only. */
  PORT,
  /** None. */
  NOTHING,
  /** nDPI as classifier. */
  NDPI,
  /** Published address range of an application. */
  ADDRESS;

  /** Name in tables: {@code tls-sni}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
