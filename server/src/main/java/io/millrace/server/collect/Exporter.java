package io.millrace.server.collect;

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

  private long received;
  private long firstSeenMicros;
  private long lastSeenMicros;

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

  int tallySlot = -1; // index in the open tally, -1 for none; kept by CollectorLedger

  Exporter(ExporterKey key) {
    this.key = key;
  }

  /** A datagram with a sequence number. */
  void observe(long micros, int sequence, int uptimeMillis) {
    count(micros);
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

  /** A datagram without a number that we could read. */
  void count(long micros) {
    if (received++ == 0) {
      firstSeenMicros = micros;
    }
    lastSeenMicros = micros;
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
        key.hasAgent() ? tracker.sent() : received,
        tracker.duplicates(),
        tracker.late(),
        tracker.resets(),
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
        lastSeenMicros);
  }

  void snapshot(DataOutput out) throws IOException {
    tracker.snapshot(out);
    for (long counter :
        new long[] {
          received,
          firstSeenMicros,
          lastSeenMicros,
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

  void restore(DataInput in) throws IOException {
    tracker.restore(in);
    received = in.readLong();
    firstSeenMicros = in.readLong();
    lastSeenMicros = in.readLong();
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
