package io.millrace.bench.traffic;

import static io.millrace.wire.packet.BigEndian.put32;
import static io.millrace.wire.packet.BigEndian.u16;

import io.millrace.wire.netflow.NetflowLayout;
import java.util.Arrays;

/**
 * A ring of NetFlow or IPFIX datagrams made once and handed out again and again, as {@link
 * PreparedTraffic} does with sFlow. Sequence numbers go on from round to round by each protocol's
 * rule (version 9 counts datagrams, version 5 and IPFIX records); times and records repeat. Not
 * thread-safe.
 */
public final class PreparedRecords extends DerivedSource {
  private static final int V5_SEQUENCE = 16;
  private static final int V9_SEQUENCE = 12;
  private static final int IPFIX_SEQUENCE = 8;

  private final byte[] bytes;
  private final int[] offsets; // of each datagram, and the end
  private final int[] exporters;
  private final int[] samples;
  private final long[] times;
  private final int[] sequence; // by exporter
  private int next;

  /** Takes {@code count} datagrams of a source, which is not asked for more. */
  public PreparedRecords(DatagramSource source, int count) {
    super(source);
    if (count < 1) {
      throw new IllegalArgumentException("count: " + count + " is not allowed: 1 and more");
    }
    offsets = new int[count + 1];
    exporters = new int[count];
    samples = new int[count];
    times = new long[count];
    sequence = new int[source.exporters()];
    byte[] all = new byte[Math.multiplyExact(count, 1400)];
    ExportDatagram datagram = new ExportDatagram();
    for (int i = 0; i < count; i++) {
      source.next(datagram);
      int end = offsets[i] + datagram.length;
      if (end > all.length) {
        all = Arrays.copyOf(all, Math.max(end, all.length + all.length / 2));
      }
      System.arraycopy(datagram.bytes, datagram.offset, all, offsets[i], datagram.length);
      offsets[i + 1] = end;
      exporters[i] = datagram.exporter;
      samples[i] = datagram.samples;
      times[i] = datagram.timeMicros;
    }
    bytes = all;
  }

  /** Goes back to the first datagrams, the templates; sequence numbers go on. */
  public void startAgain() {
    next = 0;
  }

  /** Gives the number of records, but not the truth about them. */
  @Override
  public void next(ExportDatagram out) {
    int i = next;
    int at = offsets[i];
    int exporter = exporters[i];
    int version = u16(bytes, at);
    int place =
        switch (version) {
          case NetflowLayout.VERSION_5 -> V5_SEQUENCE;
          case NetflowLayout.VERSION_9 -> V9_SEQUENCE;
          default -> IPFIX_SEQUENCE;
        };
    out.sequence = sequence[exporter];
    put32(bytes, at + place, out.sequence);
    sequence[exporter] += version == NetflowLayout.VERSION_9 ? 1 : samples[i];
    out.bytes = bytes;
    out.offset = at;
    out.length = offsets[i + 1] - at;
    out.exporter = exporter;
    out.timeMicros = times[i];
    out.firstSample = 0;
    out.samples = samples[i];
    out.counterSamples = 0;
    next = i + 1 == exporters.length ? 0 : i + 1;
  }
}
