package io.millrace.traffic;

/**
 * A datagram that is ready to be sent, and the truth about what is in it: a view into the arrays of
 * the {@link DatagramSource} that made it, which stay as they are until its next call.
 */
public final class ExportDatagram {
  byte[] bytes = {};
  int offset;
  int length;
  int exporter;
  int sequence;
  long timeMicros;
  SampleColumns truth = new SampleColumns(0);
  int firstSample;
  int samples;
  int counterSamples;

  /** Holds the datagram; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Where the datagram starts in {@link #bytes()}. */
  public int offset() {
    return offset;
  }

  /** Length of the datagram in bytes. */
  public int length() {
    return length;
  }

  /** Number of the switch that sends it, from 0. */
  public int exporter() {
    return exporter;
  }

  /** sFlow's sequence number, from 1 for each exporter. */
  int sequence() {
    return sequence;
  }

  /** Model time of the last sample in it, microseconds since the epoch. */
  public long timeMicros() {
    return timeMicros;
  }

  /** What the flow samples hold, from {@link #firstSample()} on. */
  SampleColumns truth() {
    return truth;
  }

  /** Index of the first flow sample in {@link #truth()}. */
  int firstSample() {
    return firstSample;
  }

  /** Number of flow samples. */
  public int samples() {
    return samples;
  }

  /** Number of counter samples behind the flow samples. */
  public int counterSamples() {
    return counterSamples;
  }
}
