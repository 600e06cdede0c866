package io.millrace.wire.netflow;

/** Configured sampling rates, for exporters that send none. */
@FunctionalInterface
public interface SamplingDefaults {
  /** No rates. */
  SamplingDefaults NONE = (high, low) -> 0;

  /** Rate N of 1-in-N sampling for the exporter of that address; 0 if none is configured. */
  int rate(long exporterHigh, long exporterLow);
}
