package io.millrace.server.collect;

import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.export.DatagramHead;
import io.millrace.wire.export.RecordLengths;
import io.millrace.wire.netflow.RecordSequence;
import io.millrace.wire.netflow.SequenceMeaning;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * Counters of one exporter. Owned by {@link CollectorLedger}; not thread-safe.
 *
 * <p>A missing datagram first counts as lost before arrival, when the next datagram shows the gap.
 * {@link #takeKernelDrops} moves it to the kernel's drops if the counter of the socket has risen.
 */
final class Exporter {
  private static final int SENT_UNSEEN = 0; // sent minus received
  private static final int DUPLICATES = 1;
  private static final int LATE = 2;
  private static final int RESETS = 3;
  private static final int STRAYS = 4;
  private static final int DOUBTS = 5;
  private static final int LOST_RECORDS = 6;
  private static final int TAKEN = 7;

  final ExporterKey key;
  private final SequenceTracker tracker = new SequenceTracker();
  private final RecordSequence records = new RecordSequence();

  // only for NetFlow version 9, where exporters number either datagrams or records
  private SequenceMeaning meaning;
  private RecordLengths lengths;
  private boolean hasLearned; // whether the numbers are known not to count datagrams

  private long received;
  private long firstSeenMicros;
  private long lastSeenMicros;
  private long
      skewMicros; // arrival of the last datagram minus its sending time by the exporter's clock

  private long before;
  private long whileDown;
  private long kernel;
  private long freshGaps; // datagrams missing since the last tick that are not kernel drops
  private long agedGaps; // datagrams missing in the previous tick that are not kernel drops
  private ExporterStats.Gaps gaps = ExporterStats.Gaps.NONE; // since the start of the process
  private boolean resumed; // whether the next gap occurred while Millrace was down

  private long inFlight;
  private long logged;
  private long rejected;
  private long failed;
  private long lostAtStop;

  /** Sums of the exporters merged into this one. */
  private final long[] taken = new long[TAKEN];

  private Exporter takenBy; // exporter into which this one was merged; null if none

  int counterSlot = -1; // index in the open batch, cached by BatchCounters

  Exporter(ExporterKey key) {
    this.key = key;
  }

  /**
   * @param wasKilled whether the process was killed since the previous datagram: then missing
   *     datagrams may have been received and lost in its buffers
   */
  void observe(long micros, DatagramHead head, boolean wasKilled) {
    if (received++ == 0) {
      firstSeenMicros = micros;
    }
    long elapsedMillis = (micros - lastSeenMicros) / 1_000;
    lastSeenMicros = micros;
    long missing = before + whileDown + records.lost();
    if (key.channel() == Channel.UNKNOWN || key.isOthers()) {
      return; // this entry is merged
    }
    if (head.protocol() == ExportProtocol.NETFLOW9) {
      learn(head);
    }
    if (hasLearned && meaning.meaning() != SequenceMeaning.DATAGRAMS) {
      int uptime = head.uptimeMillis();
      boolean restarted = SequenceTracker.isRestarted(records.clockMillis(), uptime, elapsedMillis);
      records.observe(head.sequence(), meaning.rise(), uptime, restarted, micros / 1_000);
    } else if (head.countsDatagrams()) {
      observe(head.sequence(), head.uptimeMillis(), elapsedMillis, wasKilled);
    } else if (head.protocol() == ExportProtocol.NETFLOW5) {
      int uptime = head.uptimeMillis();
      boolean restarted = SequenceTracker.isRestarted(records.clockMillis(), uptime, elapsedMillis);
      records.observe(head.sequence(), head.netflow5Records(), uptime, restarted, micros / 1_000);
    }
    if (head.protocol() != ExportProtocol.SFLOW) {
      skewMicros = micros - head.exportMicros();
    }
    if (before + whileDown + records.lost() > missing) {
      gaps = gaps.plus(new ExporterStats.Gaps(1, micros));
    }
  }

  private void learn(DatagramHead head) {
    if (meaning == null) {
      meaning = new SequenceMeaning(SequenceMeaning.DATAGRAMS);
    }
    if (meaning.isCertain()) {
      return;
    }
    if (lengths == null) {
      lengths = new RecordLengths();
    }
    head.countRecords(lengths, meaning);
    long lost = before + whileDown + kernel + records.lost();
    if (meaning.observe(head.sequence(), lost)) {
      takeBackLosses(meaning.lost());
      hasLearned = true;
    }
  }

  /** Takes back losses, when the numbers turn out to have another meaning. */
  private void takeBackLosses(long lost) {
    kernel = Math.min(kernel, lost);
    whileDown = Math.min(whileDown, lost - kernel);
    before = Math.min(before, lost - kernel - whileDown);
    freshGaps = 0;
    agedGaps = 0;
    gaps = lost == 0 ? ExporterStats.Gaps.NONE : gaps;
    records.beginAnew(lost - kernel - whileDown - before);
    tracker.restart();
  }

  private void observe(int sequence, int uptimeMillis, long elapsedMillis, boolean wasKilled) {
    long change = tracker.observe(sequence, uptimeMillis, elapsedMillis);
    if (change > 0) {
      if (resumed || wasKilled) {
        whileDown += change;
      } else {
        before += change;
        freshGaps += change;
      }
    } else if (change < 0) {
      takeBack(-change, wasKilled);
    }
    resumed &= tracker.onProbation();
  }

  private void takeBack(long missing, boolean wasKilled) {
    long own = wasKilled ? Math.min(missing, whileDown) : 0;
    whileDown -= own;
    long datagrams = missing - own;
    long fresh = Math.min(datagrams, freshGaps);
    freshGaps -= fresh;
    agedGaps -= Math.min(datagrams - fresh, agedGaps);
    long ofBefore = Math.min(datagrams, before);
    before -= ofBefore;
    long ofKernel = Math.min(datagrams - ofBefore, kernel);
    kernel -= ofKernel;
    whileDown -= datagrams - ofBefore - ofKernel;
  }

  long openGaps() {
    return Math.min(freshGaps + agedGaps, before);
  }

  void takeKernelDrops(long drops) {
    before -= drops;
    kernel += drops;
    long aged = Math.min(drops, agedGaps);
    agedGaps -= aged;
    freshGaps = Math.max(0, freshGaps - (drops - aged));
  }

  /** Ends a tick: gaps can be attributed to kernel drops for two ticks. */
  void age() {
    agedGaps = freshGaps;
    freshGaps = 0;
  }

  void offered(int datagrams) {
    inFlight += datagrams;
  }

  void logged(int datagrams) {
    Exporter here = counted();
    here.inFlight -= datagrams;
    here.logged += datagrams;
  }

  void rejected(int datagrams) {
    Exporter here = counted();
    here.inFlight -= datagrams;
    here.rejected += datagrams;
  }

  void failed(int datagrams) {
    Exporter here = counted();
    here.inFlight -= datagrams;
    here.failed += datagrams;
  }

  /** The exporter that counts: batches may refer to a merged one. */
  private Exporter counted() {
    Exporter here = this;
    while (here.takenBy != null) {
      here = here.takenBy;
    }
    return here;
  }

  long inFlight() {
    return inFlight;
  }

  long firstSeenMicros() {
    return firstSeenMicros;
  }

  long lastSeenMicros() {
    return lastSeenMicros;
  }

  void take(Exporter other) {
    ExporterStats stats = other.stats();
    other.takenBy = this;
    firstSeenMicros =
        received == 0
            ? stats.firstSeenMicros()
            : Math.min(firstSeenMicros, stats.firstSeenMicros());
    lastSeenMicros = Math.max(lastSeenMicros, stats.lastSeenMicros());
    received += stats.received();
    before += stats.lostBefore();
    whileDown += stats.lostWhileDown();
    kernel += stats.droppedByKernel();
    freshGaps += other.freshGaps;
    agedGaps += other.agedGaps;
    gaps = gaps.plus(other.gaps);
    inFlight += stats.inFlight();
    logged += stats.logged();
    rejected += stats.rejected();
    failed += stats.failed();
    lostAtStop += stats.lostAtStop();
    taken[SENT_UNSEEN] += stats.sent() - stats.received();
    taken[DUPLICATES] += stats.duplicates();
    taken[LATE] += stats.late();
    taken[RESETS] += stats.resets();
    taken[STRAYS] += stats.strays();
    taken[DOUBTS] += stats.doubts();
    taken[LOST_RECORDS] += stats.lostRecords();
  }

  void loggedUnseen() {
    logged++;
  }

  /** Called after the log was read to its end: batches still in flight were lost. */
  void resume() {
    lostAtStop += inFlight;
    inFlight = 0;
    resumed = true;
  }

  private long sent() {
    if (hasLearned) {
      long missing = before + whileDown + kernel;
      return received - tracker.duplicates() - records.duplicates() + missing;
    }
    return countsDatagrams() ? tracker.sent() : received - records.duplicates();
  }

  ExporterStats stats() {
    return new ExporterStats(
        key,
        sent() + taken[SENT_UNSEEN],
        tracker.duplicates() + records.duplicates() + taken[DUPLICATES],
        tracker.late() + records.late() + taken[LATE],
        tracker.resets() + records.resets() + taken[RESETS],
        tracker.strays() + taken[STRAYS],
        tracker.doubts() + records.doubts() + taken[DOUBTS],
        received,
        before,
        whileDown,
        kernel,
        rejected,
        failed,
        lostAtStop,
        inFlight,
        logged,
        firstSeenMicros,
        lastSeenMicros,
        records.lost() + taken[LOST_RECORDS],
        skewMicros,
        gaps);
  }

  private boolean countsDatagrams() {
    return key.protocol() == ExportProtocol.SFLOW || key.protocol() == ExportProtocol.NETFLOW9;
  }

  void snapshot(DataOutput out) throws IOException {
    tracker.snapshot(out);
    long[] sequence = records.snapshot();
    out.writeByte(sequence.length);
    for (long number : sequence) {
      out.writeLong(number);
    }
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
          rejected,
          failed,
          lostAtStop
        }) {
      out.writeLong(counter);
    }
    for (long counter : taken) {
      out.writeLong(counter);
    }
    long[] learned = meaning == null ? new long[0] : meaning.snapshot();
    out.writeBoolean(hasLearned);
    out.writeByte(learned.length);
    for (long number : learned) {
      out.writeLong(number);
    }
  }

  void restore(DataInput in) throws IOException {
    tracker.restore(in);
    try {
      records.restore(numbers(in));
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
    received = in.readLong();
    firstSeenMicros = in.readLong();
    lastSeenMicros = in.readLong();
    skewMicros = in.readLong();
    before = in.readLong();
    whileDown = in.readLong();
    kernel = in.readLong();
    inFlight = in.readLong();
    logged = in.readLong();
    rejected = in.readLong();
    failed = in.readLong();
    lostAtStop = in.readLong();
    for (int i = 0; i < TAKEN; i++) {
      taken[i] = in.readLong();
    }
    restoreMeaning(in);
  }

  private void restoreMeaning(DataInput in) throws IOException {
    hasLearned = in.readBoolean();
    long[] learned = numbers(in);
    if (learned.length > 0 || hasLearned) {
      meaning = new SequenceMeaning(SequenceMeaning.DATAGRAMS);
      try {
        meaning.restore(learned);
      } catch (IllegalArgumentException e) {
        throw new IOException(e.getMessage(), e);
      }
    }
  }

  private static long[] numbers(DataInput in) throws IOException {
    long[] numbers = new long[in.readUnsignedByte()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = in.readLong();
    }
    return numbers;
  }
}
