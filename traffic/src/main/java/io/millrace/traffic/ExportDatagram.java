package io.millrace.traffic;

/**
 * A datagram to be sent, with the true content of its samples: a view of the arrays of its {@link
 * DatagramSource}, valid until the source's next call.
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

  /** Array of the datagram; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Offset of the datagram in {@link #bytes()}. */
  public int offset() {
    return offset;
  }

  /** Length of the datagram in bytes. */
  public int length() {
    return length;
  }

  /** Number of the sending switch, from 0. */
  public int exporter() {
    return exporter;
  }

  /** sFlow's sequence number, from 1 for each exporter. */
  int sequence() {
    return sequence;
  }

  /** Model time of its last sample, microseconds since the epoch. */
  public long timeMicros() {
    return timeMicros;
  }

  SampleColumns truth() {
    return truth;
  }

  int firstSample() {
    return firstSample;
  }

  /** Number of flow samples. */
  public int samples() {
    return samples;
  }

  /** Number of counter samples after the flow samples. */
  public int counterSamples() {
    return counterSamples;
  }
}
