package io.millrace.store.query;

import io.millrace.store.FlowQuery.Measure;

/**
 * Columns of a measure.
 *
 * @param scaled column times the sampling rate
 * @param plain column without it
 * @param bound upper bound of one dropped group
 */
public record MeasureSums(String scaled, String plain, String bound) {
  /** Columns of a measure. */
  public static MeasureSums of(Measure measure) {
    return switch (measure) {
      case BITS, SHARE -> new MeasureSums("scaled_bytes", "bytes", "bound_scaled_bytes");
      case PACKETS -> new MeasureSums("scaled_packets", "packets", "bound_scaled_packets");
      case FLOWS -> new MeasureSums("rows", "rows", "bound_rows");
    };
  }
}
