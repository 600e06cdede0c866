package io.millrace.wire.netflow;

/** The sampling rates that the operator has set for exporters that do not tell theirs. */
@FunctionalInterface
public interface SamplingDefaults {
  /** Knows nothing. */
  SamplingDefaults NONE = (high, low) -> 0;

  /** One packet in this many, for the exporter of that address; 0 where nothing is set. */
  int rate(long exporterHigh, long exporterLow);
}
