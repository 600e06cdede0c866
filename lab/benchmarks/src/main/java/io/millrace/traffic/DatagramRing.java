package io.millrace.traffic;

import java.util.Arrays;

/** Copies of datagrams, to be handed out again and again. Not thread-safe. */
final class DatagramRing {
  private static final int EXPECTED_BYTES = 1400;

  private byte[] bytes;
  private final int[] offsets; // of each datagram, and the end
  private final int[] exporters;
  private final int[] samples;
  private final int[] counterSamples;
  private final long[] times;
  private int size;

  /** Room for {@code count} datagrams. */
  DatagramRing(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("count: " + count + " is not allowed: 1 and more");
    }
    bytes = new byte[Math.multiplyExact(count, EXPECTED_BYTES)];
    offsets = new int[count + 1];
    exporters = new int[count];
    samples = new int[count];
    counterSamples = new int[count];
    times = new long[count];
  }

  /** Copies one datagram more. */
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

  /** The next datagram, by its number. */
  int behind(int datagram) {
    return datagram + 1 == size ? 0 : datagram + 1;
  }

  /** When a datagram was sent in the first round. */
  long timeMicros(int datagram) {
    return times[datagram];
  }

  /**
   * Lends a datagram as it was sent in the first round; what is written into its bytes stays for
   * the next round. Its place in the truth is not set.
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
