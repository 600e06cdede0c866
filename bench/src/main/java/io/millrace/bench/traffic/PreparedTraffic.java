package io.millrace.bench.traffic;

import java.util.Arrays;

/**
 * A ring of datagrams made once and handed out again and again, for benchmarks in which the
 * generator shares the cores with what is measured.
 *
 * <p>Sequence numbers of datagrams and samples, sample pools, uptime and model time go on without a
 * gap from round to round; the packets, and the interface counters' values, repeat. Handing one out
 * writes some twenty words of it. Not thread-safe.
 */
public final class PreparedTraffic extends DerivedSource {
  private static final int MAX_PORTS = 1001;

  private final byte[] bytes;
  private final int[] offsets; // of each datagram, and the end
  private final int[] firstSamples; // of each datagram, and the end
  private final int[] exporters;
  private final int[] counterSamples;
  private final long[] times;
  private final SampleColumns truth;
  private final long roundMicros;
  private final int[] datagramSequence; // by exporter
  private final int[][] flowSequence; // by exporter and source
  private final int[][] counterSequence;
  private final int[][] pools;
  private final long startMicros;
  private int next;
  private long round;

  /**
   * Takes {@code count} datagrams of a source, which is not asked for more; they take about 2 KB
   * each.
   */
  public PreparedTraffic(DatagramSource source, int count) {
    super(source);
    if (count < 1) {
      throw new IllegalArgumentException("count: " + count + " is not allowed: 1 and more");
    }
    offsets = new int[count + 1];
    firstSamples = new int[count + 1];
    exporters = new int[count];
    counterSamples = new int[count];
    times = new long[count];
    byte[] all = new byte[Math.multiplyExact(count, 1400)];
    SampleColumns columns = new SampleColumns(count * 7);
    int capacity = count * 7;
    ExportDatagram datagram = new ExportDatagram();
    for (int i = 0; i < count; i++) {
      source.next(datagram);
      int end = offsets[i] + datagram.length;
      if (end > all.length) {
        all = Arrays.copyOf(all, Math.max(end, all.length + all.length / 2));
      }
      System.arraycopy(datagram.bytes, datagram.offset, all, offsets[i], datagram.length);
      offsets[i + 1] = end;
      int endSample = firstSamples[i] + datagram.samples;
      if (endSample > capacity) {
        capacity = Math.max(endSample, capacity + capacity / 2);
        SampleColumns more = new SampleColumns(capacity);
        more.copy(columns, 0, 0, firstSamples[i]);
        columns = more;
      }
      columns.copy(datagram.truth, datagram.firstSample, firstSamples[i], datagram.samples);
      firstSamples[i + 1] = endSample;
      exporters[i] = datagram.exporter;
      counterSamples[i] = datagram.counterSamples;
      times[i] = datagram.timeMicros;
    }
    bytes = all;
    truth = columns;
    startMicros = times[0];
    long span = times[count - 1] - times[0];
    roundMicros = span + Math.max(1, span / Math.max(1, count - 1));
    datagramSequence = new int[source.exporters()];
    flowSequence = new int[source.exporters()][MAX_PORTS];
    counterSequence = new int[source.exporters()][MAX_PORTS];
    pools = new int[source.exporters()][MAX_PORTS];
  }

  @Override
  public void next(ExportDatagram out) {
    int i = next;
    int at = offsets[i];
    int exporter = exporters[i];
    long time = times[i] + round * roundMicros;
    int sequence = ++datagramSequence[exporter];
    DatagramPatch.sequence(bytes, at, sequence);
    DatagramPatch.uptimeMillis(bytes, at, (int) ((time - startMicros) / 1000));
    DatagramPatch.samples(
        bytes, at, flowSequence[exporter], counterSequence[exporter], pools[exporter]);
    out.bytes = bytes;
    out.offset = at;
    out.length = offsets[i + 1] - at;
    out.exporter = exporter;
    out.sequence = sequence;
    out.timeMicros = time;
    out.truth = truth;
    out.firstSample = firstSamples[i];
    out.samples = firstSamples[i + 1] - firstSamples[i];
    out.counterSamples = counterSamples[i];
    if (++next == exporters.length) {
      next = 0;
      round++;
    }
  }
}
