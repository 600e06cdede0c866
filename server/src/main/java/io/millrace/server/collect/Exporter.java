package io.millrace.server.collect;

import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.export.DatagramHead;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * What the collector counts of one exporter. Owned by {@link CollectorLedger}; not thread-safe.
 *
 * <p>A missing datagram is put down to {@code before} when its gap shows; {@link #takeKernelDrops}
 * moves it to the kernel when the socket's counter says so.
 */
final class Exporter {
  final ExporterKey key;
  private final SequenceTracker tracker = new SequenceTracker();
  private final RecordSequence records = new RecordSequence();

  private long received;
  private long firstSeenMicros;
  private long lastSeenMicros;
  private long skewMicros; // of the last datagram: arrival by our clock less sending by its own

  private long before;
  private long whileDown;
  private long kernel;
  private long freshGaps; // missing since the last tick, not put down to the kernel
  private long agedGaps; // the same of the tick before
  private boolean resumed; // the next gap happened while Millrace was down

  private long inFlight;
  private long logged;
  private long refused;
  private long failed;
  private long lostAtStop;

  int tallySlot = -1; // a guess at the index in an open tally; kept by BatchTally

  Exporter(ExporterKey key) {
    this.key = key;
  }

  /** A datagram. */
  void observe(long micros, DatagramHead head) {
    if (received++ == 0) {
      firstSeenMicros = micros;
    }
    lastSeenMicros = micros;
    if (key.channel() == Channel.UNKNOWN) {
      return; // many may be counted as one
    }
    if (head.countsDatagrams()) {
      observe(head.sequence(), head.uptimeMillis());
    } else if (head.protocol() == ExportProtocol.NETFLOW5) {
      records.observe(head.sequence(), head.netflow5Records(), head.uptimeMillis());
    }
    if (head.protocol() != ExportProtocol.SFLOW) {
      skewMicros = micros - head.exportMicros();
    }
  }

  private void observe(int sequence, int uptimeMillis) {
    long change = tracker.observe(sequence, uptimeMillis);
    if (change > 0) {
      if (resumed) {
        whileDown += change;
      } else {
        before += change;
        freshGaps += change;
      }
    } else if (change < 0) {
      takeBack();
    }
    resumed &= tracker.onProbation();
  }

  private void takeBack() {
    if (freshGaps > 0) {
      freshGaps--;
    } else if (agedGaps > 0) {
      agedGaps--;
    }
    if (before > 0) {
      before--;
    } else if (kernel > 0) {
      kernel--;
    } else {
      whileDown--;
    }
  }

  /** Missing datagrams of this tick and the last that may have been the kernel's. */
  long openGaps() {
    return Math.min(freshGaps + agedGaps, before);
  }

  /** Puts some of {@link #openGaps} down to the kernel. */
  void takeKernelDrops(long drops) {
    before -= drops;
    kernel += drops;
    long aged = Math.min(drops, agedGaps);
    agedGaps -= aged;
    freshGaps = Math.max(0, freshGaps - (drops - aged));
  }

  /** A tick is over: what was fresh gets its second and last chance. */
  void age() {
    agedGaps = freshGaps;
    freshGaps = 0;
  }

  void offered(int datagrams) {
    inFlight += datagrams;
  }

  void logged(int datagrams) {
    inFlight -= datagrams;
    logged += datagrams;
  }

  void refused(int datagrams) {
    inFlight -= datagrams;
    refused += datagrams;
  }

  void failed(int datagrams) {
    inFlight -= datagrams;
    failed += datagrams;
  }

  /** A datagram of the log that the saved state did not know of. */
  void loggedUnseen() {
    logged++;
  }

  /** The log has been read to its end: what is still in flight is not in it. */
  void resume() {
    lostAtStop += inFlight;
    inFlight = 0;
    resumed = true;
  }

  ExporterStats stats() {
    return new ExporterStats(
        key,
        countsDatagrams() ? tracker.sent() : received - records.duplicates(),
        tracker.duplicates() + records.duplicates(),
        tracker.late() + records.late(),
        tracker.resets() + records.resets(),
        tracker.strays(),
        received,
        before,
        whileDown,
        kernel,
        refused,
        failed,
        lostAtStop,
        inFlight,
        logged,
        firstSeenMicros,
        lastSeenMicros,
        records.lost(),
        skewMicros);
  }

  private boolean countsDatagrams() {
    return key.protocol() == ExportProtocol.SFLOW || key.protocol() == ExportProtocol.NETFLOW9;
  }

  void snapshot(DataOutput out) throws IOException {
    tracker.snapshot(out);
    records.snapshot(out);
    for (long counter :
        new long[] {
          received,
          firstSeenMicros,
          lastSeenMicros,
          skewMicros,
          before,
          whileDown,
          kernel,
          inFlight,
          logged,
          refused,
          failed,
          lostAtStop
        }) {
      out.writeLong(counter);
    }
  }

  /** Takes the state that {@link #snapshot} wrote, now or in a release before gaps were kept. */
  void restore(DataInput in, boolean knowsGaps) throws IOException {
    tracker.restore(in);
    records.restore(in, knowsGaps);
    received = in.readLong();
    firstSeenMicros = in.readLong();
    lastSeenMicros = in.readLong();
    skewMicros = in.readLong();
    before = in.readLong();
    whileDown = in.readLong();
    kernel = in.readLong();
    inFlight = in.readLong();
    logged = in.readLong();
    refused = in.readLong();
    failed = in.readLong();
    lostAtStop = in.readLong();
  }
}
