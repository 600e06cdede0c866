package io.millrace.wire.block;

/** Reasons why received bytes became no row, or a row was not stored or lacks a value. */
public enum RejectReason {
  /** The datagram's beginning matches no supported protocol. */
  UNKNOWN_PROTOCOL("unknown-protocol", true),
  /** An sFlow datagram of a version other than 5. */
  UNSUPPORTED_VERSION("unsupported-version", true),
  /** The datagram's header is truncated or has an unknown address family. */
  BAD_HEADER("bad-header", true),
  /** The datagram ends before its announced number of samples. */
  TRUNCATED_DATAGRAM("truncated-datagram", true),
  /** A sample's length is too small for its fields or exceeds the datagram. */
  BAD_SAMPLE_LENGTH("bad-sample-length", true),
  /** A record's length is too small for its fields or exceeds the sample. */
  BAD_RECORD_LENGTH("bad-record-length", true),
  /** A log value of unknown format, or of a version that this release cannot read. */
  BAD_LOG_VALUE("bad-log-value", true),
  /** A flow sample whose packet is not IP, or truncated before its addresses. */
  NOT_IP("not-ip", false),
  /** A flow sample without a record that becomes a row. */
  NO_PACKET("no-packet", false),
  /** A sample of an unsupported type; skipped by its length. */
  UNKNOWN_SAMPLE("unknown-sample", false),
  /** A set's length is smaller than its header or exceeds the datagram. */
  BAD_SET_LENGTH("bad-set-length", true),
  /** A template that is truncated, or has too many fields or too long records. */
  BAD_TEMPLATE("bad-template", true),
  /** A data set whose template was not received in time. */
  NO_TEMPLATE("no-template", false),
  /** A template or an exporter beyond the limit. */
  TOO_MANY_TEMPLATES("too-many-templates", false),
  /** A set with a reserved number; skipped by its length. */
  UNKNOWN_SET("unknown-set", false),
  /** A message that is neither protobuf nor JSON, or that has an invalid address. */
  BAD_MESSAGE("bad-message", true),
  /** A datagram, message or log value for which a decoder threw an exception. */
  DECODER_FAILED("decoder-failed", true),
  /** A row that the store rejected: a dead letter in the table {@code rejected_rows}. */
  STORE_REJECTED("store-rejected", true),
  /** A sampling rate beyond {@link FlowBounds}; the row is kept with an unknown rate. */
  IMPOSSIBLE_RATE("impossible-rate", false),
  /** A record with more bytes or packets than {@link FlowBounds} allows. */
  IMPOSSIBLE_COUNT("impossible-count", false),
  /** A NetFlow sampling rate with an algorithm other than 1 or 2; ignored. */
  BAD_SAMPLING_ALGORITHM("bad-sampling-algorithm", false),
  /** A sampling interval of 0 or beyond {@link FlowBounds}; ignored. */
  BAD_SAMPLING_INTERVAL("bad-sampling-interval", false),
  /** Selector parameters that contradict each other or {@link FlowBounds}; ignored. */
  BAD_SAMPLING_RATIO("bad-sampling-ratio", false),
  /** A version 9 options template whose lengths are not whole fields; the whole fields are used. */
  ODD_OPTIONS_LENGTH("odd-options-length", false);

  private final String label;
  private final boolean malformed;

  RejectReason(String label, boolean malformed) {
    this.label = label;
    this.malformed = malformed;
  }

  /** Stable name for metrics, tables and documents: lower case with hyphens. */
  public String label() {
    return label;
  }

  /** Whether the bytes violate the protocol; otherwise they are valid but become no row. */
  public boolean malformed() {
    return malformed;
  }
}
