package io.millrace.wire.netflow;

/** Source of a row's sampling rate; the first one that has it wins, in this order. */
public enum SamplingSource {
  /** No rate, stored as 1; or an impossible one, stored as null. */
  NONE(0),
  /** The record itself. */
  RECORD(1),
  /** The exporter's table of samplers: by the record's sampler id, or the only one. */
  SAMPLER(2),
  /** Options data by scope: interface, domain or device. */
  DOMAIN(3),
  /** The datagram's header. */
  HEADER(4),
  /** Millrace's configuration. */
  CONFIGURATION(5);

  private final int code;

  SamplingSource(int code) {
    this.code = code;
  }

  /** The value in the column {@code sampling_source}. */
  public int code() {
    return code;
  }
}
