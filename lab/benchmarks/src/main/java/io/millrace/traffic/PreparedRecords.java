package io.millrace.traffic;

import static io.millrace.wire.packet.BigEndian.put32;
import static io.millrace.wire.packet.BigEndian.u16;

import io.millrace.wire.netflow.NetflowLayout;
import java.time.InstantSource;

/**
 * A ring of NetFlow or IPFIX datagrams, generated once and handed out repeatedly, like {@link
 * PreparedTraffic} for sFlow. Sequence numbers continue from round to round by each protocol's
 * rule: version 9 counts datagrams, version 5 and IPFIX count records. Records repeat, with the
 * absolute times of IPFIX. NetFlow times are relative to the header's clock, which is set to the
 * second of sending. Not thread-safe.
 */
public final class PreparedRecords extends DerivedSource {
  private static final int V5_SEQUENCE = 16;
  private static final int V9_SEQUENCE = 12;
  private static final int IPFIX_SEQUENCE = 8;
  private static final int NETFLOW_SECONDS = 8;

  private final DatagramRing ring;
  private final InstantSource clock;
  private final int[] sequence; // by exporter
  private int next;

  /** Takes {@code count} datagrams of a source, and no more. */
  public PreparedRecords(DatagramSource source, int count) {
    this(source, count, InstantSource.system());
  }

  PreparedRecords(DatagramSource source, int count, InstantSource clock) {
    super(source);
    this.clock = clock;
    ring = new DatagramRing(count);
    sequence = new int[source.exporters()];
    ExportDatagram datagram = new ExportDatagram();
    for (int i = 0; i < count; i++) {
      source.next(datagram);
      ring.add(datagram);
    }
  }

  /** Returns to the first datagrams, the templates; sequence numbers continue. */
  public void startAgain() {
    next = 0;
  }

  /** Sets the number of records, but not their truth. */
  @Override
  public void next(ExportDatagram out) {
    ring.lend(next, out);
    out.firstSample = 0;
    int version = u16(out.bytes, out.offset);
    int place =
        switch (version) {
          case NetflowLayout.VERSION_5 -> V5_SEQUENCE;
          case NetflowLayout.VERSION_9 -> V9_SEQUENCE;
          default -> IPFIX_SEQUENCE;
        };
    out.sequence = sequence[out.exporter];
    put32(out.bytes, out.offset + place, out.sequence);
    if (version != NetflowLayout.VERSION_IPFIX) {
      put32(out.bytes, out.offset + NETFLOW_SECONDS, (int) (clock.millis() / 1_000));
    }
    sequence[out.exporter] += version == NetflowLayout.VERSION_9 ? 1 : out.samples;
    next = ring.behind(next);
  }
}
