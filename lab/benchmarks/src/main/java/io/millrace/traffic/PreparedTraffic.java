package io.millrace.traffic;

/**
 * A ring of datagrams, generated once and handed out repeatedly, for benchmarks whose generator
 * shares the cores with the system under test.
 *
 * <p>Sequence numbers of datagrams and samples, sample pools, uptime and model time continue from
 * round to round without gaps. Packets and values of interface counters repeat. Each datagram has
 * some twenty words rewritten. Not thread-safe.
 */
public final class PreparedTraffic extends DerivedSource {
  private static final int MAX_PORTS = 1001;
  private static final int SAMPLES = 7; // usual number per datagram

  private final DatagramRing ring;
  private final int[] firstSamples;
  private final SampleColumns truth;
  private final long roundMicros;
  private final int[] datagramSequence; // by exporter
  private final int[][] flowSequence; // by exporter and source
  private final int[][] counterSequence;
  private final int[][] pools;
  private final long startMicros;
  private int next;
  private long round;

  /** Takes {@code count} datagrams of a source, and no more; they take about 2 KB each. */
  public PreparedTraffic(DatagramSource source, int count) {
    super(source);
    ring = new DatagramRing(count);
    firstSamples = new int[count];
    int capacity = count * SAMPLES;
    SampleColumns columns = new SampleColumns(capacity);
    ExportDatagram datagram = new ExportDatagram();
    int samples = 0;
    for (int i = 0; i < count; i++) {
      source.next(datagram);
      ring.add(datagram);
      int end = samples + datagram.samples;
      if (end > capacity) {
        capacity = Math.max(end, capacity + capacity / 2);
        SampleColumns more = new SampleColumns(capacity);
        more.copy(columns, 0, 0, samples);
        columns = more;
      }
      columns.copy(datagram.truth, datagram.firstSample, samples, datagram.samples);
      firstSamples[i] = samples;
      samples = end;
    }
    truth = columns;
    startMicros = ring.timeMicros(0);
    long span = ring.timeMicros(count - 1) - startMicros;
    roundMicros = span + Math.max(1, span / Math.max(1, count - 1));
    datagramSequence = new int[source.exporters()];
    flowSequence = new int[source.exporters()][MAX_PORTS];
    counterSequence = new int[source.exporters()][MAX_PORTS];
    pools = new int[source.exporters()][MAX_PORTS];
  }

  @Override
  public void next(ExportDatagram out) {
    ring.lend(next, out);
    int exporter = out.exporter;
    out.timeMicros += round * roundMicros;
    out.sequence = ++datagramSequence[exporter];
    out.truth = truth;
    out.firstSample = firstSamples[next];
    byte[] bytes = out.bytes;
    int at = out.offset;
    DatagramPatch.sequence(bytes, at, out.sequence);
    DatagramPatch.uptimeMillis(bytes, at, (int) ((out.timeMicros - startMicros) / 1000));
    DatagramPatch.samples(
        bytes, at, flowSequence[exporter], counterSequence[exporter], pools[exporter]);
    next = ring.behind(next);
    round += next == 0 ? 1 : 0;
  }
}
