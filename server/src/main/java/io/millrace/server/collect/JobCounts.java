package io.millrace.server.collect;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RejectReason;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the stream job has made of the log, since the log's beginning and over all restarts. Called
 * from any thread, at most some times a second.
 */
@FunctionalInterface
public interface JobCounts {
  /** A job that has not read anything. */
  JobCounts NONE = () -> new Snapshot(Map.of(), Frontier.EMPTY);

  /** The counts as of one moment. */
  Snapshot snapshot();

  /**
   * Counts at one moment.
   *
   * @param exporters by exporter; one that is not there counts as {@link Count#ZERO}
   * @param covered the part of the log whose batches are in the counts
   */
  record Snapshot(Map<ExporterKey, Count> exporters, Frontier covered) {
    /** Copies the map. */
    public Snapshot {
      exporters = Map.copyOf(exporters);
    }
  }

  /**
   * Counts of one exporter. Every datagram read from the log is stored or malformed.
   *
   * @param stored datagrams that were decoded and whose rows, if any, can be queried
   * @param malformed datagrams that broke their protocol's rules or are of one we do not know
   * @param rows rows that were made from them
   * @param rejects what made no row, by reason
   */
  record Count(long stored, long malformed, long rows, Map<RejectReason, Long> rejects) {
    /** Nothing was read. */
    public static final Count ZERO = new Count(0, 0, 0, Map.of());

    /** Copies the map, in the order of the reasons. */
    public Count {
      rejects = java.util.Collections.unmodifiableMap(new TreeMap<>(rejects));
    }

    /** How often the reason was given. */
    public long rejects(RejectReason reason) {
      return rejects.getOrDefault(reason, 0L);
    }
  }
}
