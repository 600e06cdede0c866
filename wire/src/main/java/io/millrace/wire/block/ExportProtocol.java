package io.millrace.wire.block;

/** Export protocols. New ones are added at the end: ordinals are stored. */
public enum ExportProtocol {
  /** Unknown protocol. */
  UNKNOWN("unknown"),
  /** sFlow version 5. */
  SFLOW("sflow"),
  /** NetFlow version 5. */
  NETFLOW5("netflow5"),
  /** NetFlow version 9 (RFC 3954). */
  NETFLOW9("netflow9"),
  /** IPFIX (RFC 7011). */
  IPFIX("ipfix"),
  /** Flows decoded by GoFlow2 or another collector, in its protobuf. */
  GOFLOW2("goflow2");

  private static final ExportProtocol[] ALL = values();

  private final String label;

  ExportProtocol(String label) {
    this.label = label;
  }

  static ExportProtocol of(int ordinal) {
    return ordinal < ALL.length ? ALL[ordinal] : UNKNOWN;
  }

  /** Stable name for tables and documents. */
  public String label() {
    return label;
  }

  /**
   * Whether records need templates of earlier datagrams, so that an exporter's datagrams must stay
   * in order.
   */
  public boolean hasTemplates() {
    return this == NETFLOW9 || this == IPFIX;
  }
}
