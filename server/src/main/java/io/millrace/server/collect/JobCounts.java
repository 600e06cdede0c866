package io.millrace.server.collect;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RejectReason;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counters of the stream job, since the log's beginning and over all restarts. Called by any
 * thread, a few times a second.
 */
@FunctionalInterface
public interface JobCounts {
  /** Counters of a job that has read nothing. */
  JobCounts NONE = () -> new Snapshot(Map.of(), Frontier.EMPTY, 0);

  /** Current counters. */
  Snapshot snapshot();

  /**
   * Counts at one moment.
   *
   * @param exporters counters by exporter; a missing exporter counts as {@link Count#ZERO}
   * @param messages flows that other decoders sent as messages; the collector does not see them, so
   *     they are in no sum of the ledger
   * @param covered log positions up to which batches are counted or skipped
   * @param skipped batches deleted from the log before the job read them; at least 1 if the log was
   *     replaced, as after a restore
   */
  record Snapshot(
      Map<ExporterKey, Count> exporters, Count messages, Frontier covered, long skipped) {
    /** Counts without messages. */
    public Snapshot(Map<ExporterKey, Count> exporters, Frontier covered, long skipped) {
      this(exporters, Count.ZERO, covered, skipped);
    }

    /** Copies the map. */
    public Snapshot {
      exporters = Map.copyOf(exporters);
    }
  }

  /** Reasons for which sampling rates are rejected. */
  Set<RejectReason> REJECTED_RATES =
      EnumSet.of(
          RejectReason.BAD_SAMPLING_ALGORITHM,
          RejectReason.BAD_SAMPLING_INTERVAL,
          RejectReason.BAD_SAMPLING_RATIO);

  /**
   * Rejected sampling rates.
   *
   * @param times number of rejections
   * @param rate mean of the rejected rates
   */
  record RejectedRate(RejectReason reason, long times, long rate) {}

  /**
   * Counts of one exporter. Every datagram read from the log is stored or malformed.
   *
   * @param stored datagrams that were decoded and whose rows, if any, can be queried
   * @param malformed datagrams that violate their protocol or are of an unknown one
   * @param rows decoded rows
   * @param rejects records that produced no row, by reason
   * @param records further counts of flow records
   */
  record Count(
      long stored, long malformed, long rows, Map<RejectReason, Long> rejects, Records records) {
    /** Nothing was read. */
    public static final Count ZERO = new Count(0, 0, 0, Map.of());

    /** Counts of an exporter without flow records. */
    public Count(long stored, long malformed, long rows, Map<RejectReason, Long> rejects) {
      this(stored, malformed, rows, rejects, Records.NONE);
    }

    /** Copies the map, in the order of the reasons. */
    public Count {
      rejects = java.util.Collections.unmodifiableMap(new TreeMap<>(rejects));
    }

    /** Datagrams read from the log. */
    public long datagrams() {
      return stored + malformed;
    }

    /** Sum of two exporters. */
    public Count plus(Count other) {
      Map<RejectReason, Long> both = new TreeMap<>(rejects);
      other.rejects.forEach((reason, count) -> both.merge(reason, count, Long::sum));
      return new Count(
          stored + other.stored,
          malformed + other.malformed,
          rows + other.rows,
          both,
          records.plus(other.records));
    }

    /**
     * Counters of a number of the datagrams, malformed ones last, without rows, rejects and
     * records.
     */
    Count firstDatagrams(long datagrams) {
      long first = Math.min(datagrams, stored);
      return new Count(first, datagrams - first, 0, Map.of());
    }

    /**
     * Counters of the other datagrams than {@link #firstDatagrams}, with rows, rejects and records.
     */
    Count withoutFirstDatagrams(long datagrams) {
      Count first = firstDatagrams(datagrams);
      return new Count(stored - first.stored, malformed - first.malformed, rows, rejects, records);
    }

    /** Rejected sampling rates by reason, each with the mean of its rates. */
    public List<RejectedRate> rejectedRates() {
      long rejected =
          REJECTED_RATES.stream().mapToLong(this::rejects).sum()
              + rejects(RejectReason.IMPOSSIBLE_RATE);
      return REJECTED_RATES.stream()
          .filter(reason -> rejects(reason) > 0)
          .map(
              reason ->
                  new RejectedRate(
                      reason,
                      rejects(reason),
                      Math.round((double) records.rejectedRates() / rejected)))
          .toList();
    }

    /** Number of rejects of the reason. */
    public long rejects(RejectReason reason) {
      return rejects.getOrDefault(reason, 0L);
    }
  }

  /**
   * Counts of flow records.
   *
   * @param templates known templates
   * @param templateChanges templates that replaced one with another layout
   * @param heldSets data sets that waited for their template
   * @param lost records missing according to IPFIX sequence numbers
   * @param doubts jumps of IPFIX sequence numbers that neither a loss nor a restart explains
   * @param unsampledRows rows with an unknown sampling rate
   * @param shedRows rows shed
   * @param rejectedRates sum of the rejected sampling rates
   * @param bothSidesRows rows of packets that the opposite interface also reports
   */
  record Records(
      long templates,
      long templateChanges,
      long heldSets,
      long lost,
      long doubts,
      long unsampledRows,
      long shedRows,
      long rejectedRates,
      long bothSidesRows) {
    /** All zero. */
    public static final Records NONE = new Records(0, 0, 0, 0, 0, 0, 0);

    /** Counters without rejected rates and rows of both sides. */
    public Records(
        long templates,
        long templateChanges,
        long heldSets,
        long lost,
        long doubts,
        long unsampledRows,
        long shedRows) {
      this(templates, templateChanges, heldSets, lost, doubts, unsampledRows, shedRows, 0, 0);
    }

    /** Sum of both. */
    public Records plus(Records other) {
      return new Records(
          templates + other.templates,
          templateChanges + other.templateChanges,
          heldSets + other.heldSets,
          lost + other.lost,
          doubts + other.doubts,
          unsampledRows + other.unsampledRows,
          shedRows + other.shedRows,
          rejectedRates + other.rejectedRates,
          bothSidesRows + other.bothSidesRows);
    }
  }
}
