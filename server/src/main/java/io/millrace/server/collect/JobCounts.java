package io.millrace.server.collect;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RejectReason;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the stream job has made of the log, since the log's beginning and over all restarts. Called
 * from any thread, at most some times a second.
 */
@FunctionalInterface
public interface JobCounts {
  /** A job that has not read anything. */
  JobCounts NONE = () -> new Snapshot(Map.of(), Frontier.EMPTY, 0);

  /** The counts as of one moment. */
  Snapshot snapshot();

  /**
   * Counts at one moment.
   *
   * @param exporters by exporter; one that is not there counts as {@link Count#ZERO}
   * @param messages flows that were decoded elsewhere and came as messages, of all samplers: of no
   *     collector of ours, so in no sum of the ledger
   * @param covered the part of the log whose batches are in the counts or skipped
   * @param skipped batches that the log had deleted before the job came to read them
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

  /** Reasons for which sampling rates are refused. */
  Set<RejectReason> REFUSED_RATES =
      EnumSet.of(
          RejectReason.BAD_SAMPLING_ALGORITHM,
          RejectReason.BAD_SAMPLING_INTERVAL,
          RejectReason.BAD_SAMPLING_RATIO);

  /**
   * Sampling rates that were told and refused.
   *
   * @param times how often
   * @param rate their mean
   */
  record RefusedRate(RejectReason reason, long times, long rate) {}

  /**
   * Counts of one exporter. Every datagram read from the log is stored or malformed.
   *
   * @param stored datagrams that were decoded and whose rows, if any, can be queried
   * @param malformed datagrams that broke their protocol's rules or are of one we do not know
   * @param rows rows that were made from them
   * @param rejects what made no row, by reason
   * @param records what else is known where the datagrams hold flow records
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

    /** Datagrams that were read from the log. */
    public long datagrams() {
      return stored + malformed;
    }

    /** The counts of two exporters as those of one. */
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

    /** So many of the datagrams, without what they hold; the malformed ones go last. */
    Count firstDatagrams(long datagrams) {
      long first = Math.min(datagrams, stored);
      return new Count(first, datagrams - first, 0, Map.of());
    }

    /** All but {@link #firstDatagrams}, with what they hold. */
    Count withoutFirstDatagrams(long datagrams) {
      Count first = firstDatagrams(datagrams);
      return new Count(stored - first.stored, malformed - first.malformed, rows, rejects, records);
    }

    /**
     * Sampling rates that were told and refused, by reason. Where there are several, each has their
     * mean: the exporter's own rate if it tells the same one each time.
     */
    public List<RefusedRate> refusedRates() {
      long refused =
          REFUSED_RATES.stream().mapToLong(this::rejects).sum()
              + rejects(RejectReason.IMPOSSIBLE_RATE);
      return REFUSED_RATES.stream()
          .filter(reason -> rejects(reason) > 0)
          .map(
              reason ->
                  new RefusedRate(
                      reason,
                      rejects(reason),
                      Math.round((double) records.refusedRates() / refused)))
          .toList();
    }

    /** How often the reason was given. */
    public long rejects(RejectReason reason) {
      return rejects.getOrDefault(reason, 0L);
    }
  }

  /**
   * What the decoder notes of flow records.
   *
   * @param templates that are known now
   * @param templateChanges templates that came under the number of one with another layout
   * @param heldSets data sets that had to wait for their template
   * @param lost records missing by IPFIX' sequence numbers
   * @param doubts how often IPFIX' sequence numbers leapt as neither a loss nor a restart explains
   * @param unsampledRows rows whose sampling rate nothing told
   * @param shedRows rows left out by load shedding
   * @param refusedRates sum of the sampling rates that were told and refused
   * @param bothSidesRows rows of packets that the interface on their other side reports as well
   */
  record Records(
      long templates,
      long templateChanges,
      long heldSets,
      long lost,
      long doubts,
      long unsampledRows,
      long shedRows,
      long refusedRates,
      long bothSidesRows) {
    /** None of it. */
    public static final Records NONE = new Records(0, 0, 0, 0, 0, 0, 0);

    /** Counts without a refused rate, of interfaces that are watched on one side. */
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

    /** The sums of both. */
    public Records plus(Records other) {
      return new Records(
          templates + other.templates,
          templateChanges + other.templateChanges,
          heldSets + other.heldSets,
          lost + other.lost,
          doubts + other.doubts,
          unsampledRows + other.unsampledRows,
          shedRows + other.shedRows,
          refusedRates + other.refusedRates,
          bothSidesRows + other.bothSidesRows);
    }
  }
}
