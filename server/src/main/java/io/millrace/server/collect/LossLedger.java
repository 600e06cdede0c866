package io.millrace.server.collect;

import io.millrace.wire.block.Frontier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Loss ledger: accounts for every datagram of each exporter.
 *
 * <pre>
 *   sent + duplicates = stored + malformed + in flight
 *                       + lost before arrival                       network
 *                       + lost while Millrace was down              network
 *                       + dropped by the kernel                     socket
 *                       + rejected + failed + lost at a stop         collector
 *                       + expired                                   log
 * </pre>
 *
 * The left side comes from the exporter's sequence numbers, the right side from counters at each
 * stage; {@link Report#violations} returns exporters for which they differ. Thread-safe.
 *
 * <p><b>Expired.</b> If a job lags by more than the log retains, it skips deleted values and cannot
 * know whose datagrams they contained. So the ledger records a cut: the logged datagrams of each
 * exporter, and the end of the log, at one moment. When the job has read beyond that end, datagrams
 * of the cut that it has not counted are expired. During traffic, datagrams counted after the cut
 * hide part of the loss, which counts as in flight until a later cut; without traffic the number is
 * exact. If the job has skipped nothing, a deficit is a violation.
 */
public final class LossLedger {
  private final Supplier<LedgerSnapshot> collector;
  private final JobCounts job;
  private final Supplier<List<InterfaceCounts>> interfaces;

  /** Lower bound of expired datagrams. Guarded by this, as is the cut. */
  private final Map<ExporterKey, Long> expired = new HashMap<>();

  private Cut cut;

  /** Logged datagrams by exporter and the end of the log, at one moment. */
  private record Cut(Map<ExporterKey, Long> logged, Frontier end) {
    static Cut of(List<Entry> entries, Frontier end) {
      Map<ExporterKey, Long> logged = new HashMap<>();
      entries.forEach(entry -> logged.put(entry.key(), entry.collected().logged()));
      return new Cut(logged, end);
    }
  }

  LossLedger(Supplier<LedgerSnapshot> collector, JobCounts job) {
    this(collector, job, List::of);
  }

  /** Creates a ledger that includes captured packets. */
  public LossLedger(
      Supplier<LedgerSnapshot> collector,
      JobCounts job,
      Supplier<List<InterfaceCounts>> interfaces) {
    this.collector = collector;
    this.job = job;
    this.interfaces = interfaces;
  }

  /** Returns the current ledger: exporters in order of first appearance, others last. */
  public Report report() {
    // The job's counters are read first, so that the collector's include all that the job has read.
    JobCounts.Snapshot counted = job.snapshot();
    LedgerSnapshot before = collector.get();
    boolean caughtUp = isPast(before.confirmed(), counted);
    List<Entry> entries = entries(before.exporters(), counted.exporters(), caughtUp);
    if (counted.skipped() > 0) {
      entries = withExpired(entries, before.confirmed(), counted);
    }
    return new Report(
        entries,
        counted.messages(),
        before.kernelDrops(),
        before.kernelDropsOpen(),
        interfaces.get());
  }

  private static boolean isPast(Frontier frontier, JobCounts.Snapshot job) {
    return frontier.next().entrySet().stream()
        .allMatch(end -> job.covered().next(end.getKey()) >= end.getValue());
  }

  private synchronized List<Entry> withExpired(
      List<Entry> entries, Frontier end, JobCounts.Snapshot counted) {
    Cut now = Cut.of(entries, end);
    for (Cut passed : cut == null ? List.of(now) : List.of(cut, now)) {
      if (isPast(passed.end(), counted)) {
        for (Entry entry : entries) {
          long uncounted = passed.logged().getOrDefault(entry.key(), 0L) - entry.job().datagrams();
          expired.merge(entry.key(), Math.max(0, uncounted), Math::max);
        }
        expired.keySet().retainAll(now.logged().keySet());
        cut = null;
      }
    }
    cut = cut == null ? now : cut;
    return entries.stream()
        .map(entry -> entry.withExpired(expired.getOrDefault(entry.key(), 0L)))
        .toList();
  }

  private static List<Entry> entries(
      List<ExporterStats> before, Map<ExporterKey, JobCounts.Count> counted, boolean caughtUp) {
    Map<ExporterKey, JobCounts.Count> reconciled = ReconciledCounts.of(before, counted);
    List<Entry> entries = new ArrayList<>();
    Entry others = null;
    for (ExporterStats stats : before) {
      JobCounts.Count count = reconciled.getOrDefault(stats.key(), JobCounts.Count.ZERO);
      Entry entry = new Entry(stats, count, caughtUp);
      if (stats.key().equals(ExporterKey.OTHERS)) {
        others = entry;
      } else {
        entries.add(entry);
      }
    }
    if (others != null) {
      entries.add(others);
    }
    return entries;
  }

  /**
   * The ledger at one moment.
   *
   * @param exporters an entry for each exporter
   * @param messages flows received as messages, which are not in {@code exporters}
   * @param kernelDrops datagrams dropped by the kernel at the sockets, of all exporters
   * @param kernelDropsOpen kernel drops without a matching gap
   * @param interfaces captured packets, which are not in {@code exporters}
   */
  public record Report(
      List<Entry> exporters,
      JobCounts.Count messages,
      long kernelDrops,
      long kernelDropsOpen,
      List<InterfaceCounts> interfaces) {
    /** A ledger of exporters only. */
    public Report(List<Entry> exporters, long kernelDrops, long kernelDropsOpen) {
      this(exporters, JobCounts.Count.ZERO, kernelDrops, kernelDropsOpen, List.of());
    }

    /** Copies the lists. */
    public Report {
      exporters = List.copyOf(exporters);
      interfaces = List.copyOf(interfaces);
    }

    /** Exporters whose equations do not hold; empty if the ledger adds up. */
    public List<Entry> violations() {
      return exporters.stream().filter(entry -> !entry.addsUp()).toList();
    }

    /**
     * Returns the entries whose sender, agent or name equals the text; all entries for an empty
     * text.
     */
    public Report of(String exporter) {
      List<Entry> chosen = exporters.stream().filter(entry -> entry.isNamed(exporter)).toList();
      return new Report(chosen, messages, kernelDrops, kernelDropsOpen, interfaces);
    }
  }

  /**
   * Datagrams of one exporter.
   *
   * @param collected the collector's counts
   * @param job the job's counts
   * @param caughtUp whether the job had read all batches that the log had confirmed
   * @param expired datagrams deleted from the log before the job read them; a lower bound, exact
   *     without traffic
   */
  public record Entry(
      ExporterStats collected, JobCounts.Count job, boolean caughtUp, long expired) {
    /** An exporter without expired datagrams. */
    public Entry(ExporterStats collected, JobCounts.Count job, boolean caughtUp) {
      this(collected, job, caughtUp, 0);
    }

    private Entry withExpired(long expired) {
      return new Entry(collected, job, caughtUp, expired);
    }

    /** The exporter. */
    public ExporterKey key() {
      return collected.key();
    }

    /** Datagrams in the log or in the collector's buffers that the job has not read yet. */
    public long inFlight() {
      return expected() + failedYetLogged() - job.datagrams() - expired;
    }

    /** Datagrams read from the socket and not written to the log. */
    public long droppedByUs() {
      return collected.droppedByUs() - failedYetLogged();
    }

    /** Missing flow records, if the protocol numbers records; in no sum. */
    public long lostRecords() {
      return collected.lostRecords() + job.records().lost();
    }

    /** Jumps of the sequence numbers that neither a loss nor a restart explains. */
    public long doubts() {
      return collected.doubts() + job.records().doubts();
    }

    /** Datagrams sent and neither stored nor in flight. */
    public long lost() {
      return collected.missing() + droppedByUs() + expired + job.malformed();
    }

    /**
     * Datagrams of batches that timed out and are in the log nevertheless, so that the job has read
     * more than was confirmed.
     */
    private long failedYetLogged() {
      long more = job.datagrams() + expired - expected();
      return Math.max(0, Math.min(collected.failed(), more));
    }

    private long expected() {
      return collected.inFlight() + collected.logged();
    }

    /** Whether the equation holds, and nothing is in flight after the job has caught up. */
    public boolean addsUp() {
      boolean atRest = caughtUp && collected.inFlight() == 0;
      return collected.addsUp() && (atRest ? inFlight() == 0 : inFlight() >= 0);
    }

    boolean isNamed(String name) {
      return name.isEmpty()
          || name.equals(key().sender())
          || name.equals(key().agent())
          || name.equals(key().toString());
    }
  }
}
