package io.millrace.wire.gateway;

import java.util.Locale;

/** How records of gateways are written. */
public enum GatewayEncoding {
  /** Objects of RFC 8259: one, an array of them, or one behind the other. */
  JSON,
  /** Binary, by the {@linkplain GatewaySchema published schema}. */
  AVRO;

  /** As it stands in options: {@code json}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
