package io.millrace.wire.block;

/**
 * Why bytes that arrived did not become a row, or a row of them was not stored or lacks a value.
 */
public enum RejectReason {
  /** No protocol of ours begins like this datagram. */
  UNKNOWN_PROTOCOL("unknown-protocol", true),
  /** An sFlow datagram of a version other than 5. */
  UNSUPPORTED_VERSION("unsupported-version", true),
  /** The datagram's header is cut off or names an address family that does not exist. */
  BAD_HEADER("bad-header", true),
  /** The datagram ends before the number of samples that it announces. */
  TRUNCATED_DATAGRAM("truncated-datagram", true),
  /** A sample's length is too small for its fields or points behind the datagram's end. */
  BAD_SAMPLE_LENGTH("bad-sample-length", true),
  /** A record's length is too small for its fields or points behind the sample's end. */
  BAD_RECORD_LENGTH("bad-record-length", true),
  /** A log value that is not one of ours, or of a version that this release cannot read. */
  BAD_LOG_VALUE("bad-log-value", true),
  /** A flow sample whose packet is not IP, or not enough of it to see addresses. */
  NOT_IP("not-ip", false),
  /** A flow sample without any record from which a row could be made. */
  NO_PACKET("no-packet", false),
  /** A sample of a kind that we do not read (skipped by its length). */
  UNKNOWN_SAMPLE("unknown-sample", false),
  /** A set's length is smaller than its own header or points behind the datagram's end. */
  BAD_SET_LENGTH("bad-set-length", true),
  /** A template that is cut off, or of more fields or a longer record than allowed. */
  BAD_TEMPLATE("bad-template", true),
  /** A data set whose template did not come in time. */
  NO_TEMPLATE("no-template", false),
  /** A template or an exporter beyond the number that is kept. */
  TOO_MANY_TEMPLATES("too-many-templates", false),
  /** A set of a number that the protocol reserves (skipped by its length). */
  UNKNOWN_SET("unknown-set", false),
  /** A message that is neither protobuf nor JSON, or that has an address that is none. */
  BAD_MESSAGE("bad-message", true),
  /** A datagram, message or log value at which a decoder of ours failed. */
  DECODER_FAILED("decoder-failed", true),
  /** A row that the store did not take: a dead letter of the table {@code refused_rows}. */
  STORE_REFUSED("store-refused", true),
  /** A sampling rate beyond {@link FlowBounds}; the row is kept, its rate is unknown. */
  IMPOSSIBLE_RATE("impossible-rate", false),
  /** A record of more bytes or packets than {@link FlowBounds} allows. */
  IMPOSSIBLE_COUNT("impossible-count", false),
  /** A sampling rate of NetFlow with an algorithm other than 1 or 2; it is not used. */
  BAD_SAMPLING_ALGORITHM("bad-sampling-algorithm", false),
  /** A sampling interval of 0 or beyond {@link FlowBounds}; it is not used. */
  BAD_SAMPLING_INTERVAL("bad-sampling-interval", false),
  /** Parameters of a selector that contradict each other or {@link FlowBounds}; not used. */
  BAD_SAMPLING_RATIO("bad-sampling-ratio", false),
  /** An options template of version 9 whose lengths are not whole fields; these are read. */
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

  /** Whether the bytes broke the protocol's rules; otherwise they are sound but make no row. */
  public boolean malformed() {
    return malformed;
  }
}
