package io.millrace.traffic;

import java.util.Arrays;

/** A ring of datagram copies, handed out repeatedly. Not thread-safe. */
final class DatagramRing {
  private static final int EXPECTED_BYTES = 1400;

  private byte[] bytes;
  private final int[] offsets; // of each datagram, and the end
  private final int[] exporters;
  private final int[] samples;
  private final int[] counterSamples;
  private final long[] times;
  private int size;

  DatagramRing(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("count: " + count + ", expected at least 1");
    }
    bytes = new byte[Math.multiplyExact(count, EXPECTED_BYTES)];
    offsets = new int[count + 1];
    exporters = new int[count];
    samples = new int[count];
    counterSamples = new int[count];
    times = new long[count];
  }

  void add(ExportDatagram datagram) {
    int end = offsets[size] + datagram.length;
    if (end > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length + bytes.length / 2));
    }
    System.arraycopy(datagram.bytes, datagram.offset, bytes, offsets[size], datagram.length);
    exporters[size] = datagram.exporter;
    samples[size] = datagram.samples;
    counterSamples[size] = datagram.counterSamples;
    times[size] = datagram.timeMicros;
    offsets[++size] = end;
  }

  /** Returns the number of the following datagram. */
  int behind(int datagram) {
    return datagram + 1 == size ? 0 : datagram + 1;
  }

  /** Returns the time of a datagram in the first round. */
  long timeMicros(int datagram) {
    return times[datagram];
  }

  /**
   * Lends a datagram with its time in the first round. Changes to its bytes persist in later
   * rounds. Its position in the truth is not set.
   */
  void lend(int datagram, ExportDatagram out) {
    out.bytes = bytes;
    out.offset = offsets[datagram];
    out.length = offsets[datagram + 1] - offsets[datagram];
    out.exporter = exporters[datagram];
    out.timeMicros = times[datagram];
    out.samples = samples[datagram];
    out.counterSamples = counterSamples[datagram];
  }
}
