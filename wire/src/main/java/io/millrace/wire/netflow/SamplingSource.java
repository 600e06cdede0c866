package io.millrace.wire.netflow;

/** Where a row's sampling rate comes from; the first that knows it wins, in this order. */
public enum SamplingSource {
  /** Nobody said, and the rate is taken to be 1; or what was said cannot be, and it is null. */
  NONE(0),
  /** The record itself. */
  RECORD(1),
  /** The exporter's table of samplers: by the id in the record, or the only one. */
  SAMPLER(2),
  /** Options data by scope: an interface, a domain, the whole device. */
  DOMAIN(3),
  /** The datagram's header. */
  HEADER(4),
  /** Our own configuration. */
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
