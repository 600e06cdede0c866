package io.millrace.server.collect;

import io.millrace.wire.block.Frontier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The loss ledger: for each exporter, where every datagram that it sent is now.
 *
 * <pre>
 *   sent + duplicates = stored + malformed + in flight
 *                       + lost before us + lost while down      on the way here
 *                       + dropped by the kernel                 at the socket
 *                       + refused + failed + lost at a stop     by ours
 *                       + expired                               in the log, unread
 * </pre>
 *
 * The left side comes from the exporter's own sequence numbers, the right side from counters at the
 * place where each thing happens; {@link Report#violations} names the exporters for which they
 * differ. Thread-safe.
 *
 * <p><b>Expired.</b> A job that is behind by more than the log keeps finds values gone. Nobody has
 * read them, so nobody knows whose they were; but what the collector had put into the log by some
 * moment and the job has not counted when it is past that moment's end of the log is just that. So
 * the ledger keeps one such cut at a time. While traffic flows, what came behind the cut hides as
 * much of the loss, which counts as in flight until a later cut; at rest the number is exact. And
 * where the job says that it has skipped nothing, a deficit is not explained away.
 */
public final class LossLedger {
  private final Supplier<LedgerSnapshot> collector;
  private final JobCounts job;
  private final Supplier<List<InterfaceCounts>> interfaces;

  /** What the log deleted unread, as far as is known. Guarded by this, as is the cut. */
  private final Map<ExporterKey, Long> expired = new HashMap<>();

  private Cut cut;

  /** What the collector had put into the log at one moment, and where the log ended then. */
  private record Cut(Map<ExporterKey, Long> logged, Frontier end) {
    static Cut of(List<Entry> entries, Frontier end) {
      Map<ExporterKey, Long> logged = new HashMap<>();
      entries.forEach(entry -> logged.put(entry.key(), entry.collected().logged()));
      return new Cut(logged, end);
    }
  }

  /** A ledger over the counts of a collector (before the log) and a job (behind it). */
  LossLedger(Supplier<LedgerSnapshot> collector, JobCounts job) {
    this(collector, job, List::of);
  }

  /** The same beside what was captured of packets. */
  public LossLedger(
      Supplier<LedgerSnapshot> collector,
      JobCounts job,
      Supplier<List<InterfaceCounts>> interfaces) {
    this.collector = collector;
    this.job = job;
    this.interfaces = interfaces;
  }

  /**
   * The ledger as it stands now, exporters in the order in which they were first seen, others last.
   */
  public Report report() {
    // The job is asked first: the collector's counts, taken later, then include all that it has
    // read.
    JobCounts.Snapshot behind = job.snapshot();
    LedgerSnapshot before = collector.get();
    boolean caughtUp = isPast(before.confirmed(), behind);
    List<Entry> entries = entries(before.exporters(), behind.exporters(), caughtUp);
    if (behind.skipped() > 0) {
      entries = withExpired(entries, before.confirmed(), behind);
    }
    return new Report(
        entries,
        behind.messages(),
        before.kernelDrops(),
        before.kernelDropsOpen(),
        interfaces.get());
  }

  private static boolean isPast(Frontier frontier, JobCounts.Snapshot job) {
    return frontier.next().entrySet().stream()
        .allMatch(end -> job.covered().next(end.getKey()) >= end.getValue());
  }

  private synchronized List<Entry> withExpired(
      List<Entry> entries, Frontier end, JobCounts.Snapshot behind) {
    Cut now = Cut.of(entries, end);
    for (Cut passed : cut == null ? List.of(now) : List.of(cut, now)) {
      if (isPast(passed.end(), behind)) {
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

  /** Pairs the counts of both sides. */
  private static List<Entry> entries(
      List<ExporterStats> before, Map<ExporterKey, JobCounts.Count> behind, boolean caughtUp) {
    Map<ExporterKey, JobCounts.Count> paired = PairedCounts.of(before, behind);
    List<Entry> entries = new ArrayList<>();
    Entry others = null;
    for (ExporterStats stats : before) {
      JobCounts.Count count = paired.getOrDefault(stats.key(), JobCounts.Count.ZERO);
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
   * @param exporters one entry each
   * @param messages what became of flows that came as messages, beside the exporters
   * @param kernelDrops datagrams that the kernel says it dropped at our sockets, of all exporters
   * @param kernelDropsOpen how many of them no gap has shown
   * @param interfaces what became of packets that were captured, beside the exporters
   */
  public record Report(
      List<Entry> exporters,
      JobCounts.Count messages,
      long kernelDrops,
      long kernelDropsOpen,
      List<InterfaceCounts> interfaces) {
    /** A ledger of exporters alone. */
    public Report(List<Entry> exporters, long kernelDrops, long kernelDropsOpen) {
      this(exporters, JobCounts.Count.ZERO, kernelDrops, kernelDropsOpen, List.of());
    }

    /** Copies the lists. */
    public Report {
      exporters = List.copyOf(exporters);
      interfaces = List.copyOf(interfaces);
    }

    /** The exporters whose sums do not hold; empty when the ledger adds up. */
    public List<Entry> violations() {
      return exporters.stream().filter(entry -> !entry.addsUp()).toList();
    }

    /** The entries whose sender, agent or whole name is the text; all of them for an empty text. */
    public Report of(String exporter) {
      List<Entry> chosen = exporters.stream().filter(entry -> entry.isNamed(exporter)).toList();
      return new Report(chosen, messages, kernelDrops, kernelDropsOpen, interfaces);
    }
  }

  /**
   * One exporter's datagrams.
   *
   * @param collected what the collector counted
   * @param job what the job counted
   * @param caughtUp whether the job had read all that the log had confirmed
   * @param expired datagrams that the log deleted before the job came to read them, as far as is
   *     known; exact at rest
   */
  public record Entry(
      ExporterStats collected, JobCounts.Count job, boolean caughtUp, long expired) {
    /** An exporter of which the job has read whatever the log had. */
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

    /** In the log or on the way into it, and not read by the job yet. */
    public long inFlight() {
      return expected() + failedYetLogged() - job.datagrams() - expired;
    }

    /** Read from the socket, and lost on the way into the log. */
    public long droppedByUs() {
      return collected.droppedByUs() - failedYetLogged();
    }

    /** Flow records missing, where the protocol numbers these; not part of the sums. */
    public long lostRecords() {
      return collected.lostRecords() + job.records().lost();
    }

    /** How often its numbers leapt as neither a loss nor a restart explains. */
    public long doubts() {
      return collected.doubts() + job.records().doubts();
    }

    /** Everything that was sent and is neither stored nor in flight. */
    public long lost() {
      return collected.missing() + droppedByUs() + expired + job.malformed();
    }

    /**
     * A log that gave up may have the batch all the same: then the job has read more than it
     * should.
     */
    private long failedYetLogged() {
      long more = job.datagrams() + expired - expected();
      return Math.max(0, Math.min(collected.failed(), more));
    }

    private long expected() {
      return collected.inFlight() + collected.logged();
    }

    /** Whether the sum holds and nothing is in flight that should have arrived. */
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
