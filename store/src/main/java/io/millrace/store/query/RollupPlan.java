package io.millrace.store.query;

import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.store.rollup.StoredRollup;
import io.millrace.wire.block.Frontier;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Pieces of which a result is computed, in time order without gaps.
 *
 * @param kept the set; null if rows are read instead
 * @param pieces at least one piece
 * @param accounting when long flows count
 * @param from start of the covered time, microseconds, inclusive
 * @param to its end, exclusive
 * @param sampled the sampled part before the pieces; null if there is none
 */
public record RollupPlan(
    StoredRollup kept,
    List<Piece> pieces,
    Accounting accounting,
    long from,
    long to,
    SampledRange sampled) {

  /** An unknown number of rows. */
  public static final long UNKNOWN = -1;

  /** Source of a piece; the longest buckets first. */
  public enum Source {
    DAY(Grain.DAY, "day", "days"),
    HOUR(Grain.HOUR, "hour", "hours"),
    FIVE(Grain.FIVE, "5 minutes", "× 5 minutes"),
    MINUTE(Grain.MINUTE, "minute", "minutes"),
    /** Minutes that are not closed, or not moved yet. */
    OPEN(Grain.MINUTE, "open minute", "open minutes"),
    /** The rows themselves. */
    ROWS(null, "", "");

    private final Grain grain;
    private final String one;
    private final String many;

    Source(Grain grain, String one, String many) {
      this.grain = grain;
      this.one = one;
      this.many = many;
    }

    /** Length of its buckets; null for rows. */
    public Grain grain() {
      return grain;
    }

    private String count(long n) {
      return n == 1 && this != FIVE ? "1 " + one : "%,d ".formatted(n) + many;
    }
  }

  /** A time range of one source. */
  public record Piece(Source source, long from, long to) {}

  /**
   * A time range in which sampled rows represent all rows that a frontier covers.
   *
   * @param grain grain of the sample
   * @param tables names of the tables with its rows
   * @param hasRecords whether any of the rows may have a duration
   */
  public record SampledRange(
      Grain grain, Frontier rolled, long from, long to, List<String> tables, boolean hasRecords) {}

  public RollupPlan {
    pieces = List.copyOf(pieces);
  }

  /** A plan without sampled rows. */
  public RollupPlan(
      StoredRollup kept, List<Piece> pieces, Accounting accounting, long from, long to) {
    this(kept, pieces, accounting, from, to, null);
  }

  /** Whether the result is an estimate with a confidence interval. */
  public boolean isSampled() {
    return sampled != null;
  }

  /** Whether a sampled row may have shares in several points of time. */
  public boolean cutsSampled() {
    return isSampled() && accounting == Accounting.SPREAD && sampled.hasRecords;
  }

  /** Whether any piece is of buckets. */
  public boolean usesBuckets() {
    return pieces.stream().anyMatch(piece -> piece.source != Source.ROWS);
  }

  /** Length of the time that is read from rows, microseconds. */
  long rowMicros() {
    return pieces.stream()
        .filter(piece -> piece.source == Source.ROWS)
        .mapToLong(piece -> piece.to - piece.from)
        .sum();
  }

  /**
   * Time ranges of buckets, adjacent ones merged; rows that are not rolled up yet are missing
   * there.
   */
  public List<Piece> rolled() {
    List<Piece> ranges = new ArrayList<>();
    for (Piece piece : pieces) {
      if (piece.source == Source.ROWS) {
        continue;
      }
      int last = ranges.size() - 1;
      if (last >= 0 && ranges.get(last).to == piece.from) {
        ranges.set(last, new Piece(piece.source, ranges.get(last).from, piece.to));
      } else {
        ranges.add(piece);
      }
    }
    return ranges;
  }

  /**
   * Description of the sources, for users.
   *
   * @param rows number of rows that were read at the edges and of those not rolled up yet, or
   *     {@link #UNKNOWN}
   * @param first time before which there is no data, microseconds: buckets before it do not count
   * @param end end, exclusive
   */
  public String describe(long rows, long first, long end) {
    if (isSampled()) {
      return "sample by %s: %,d rows".formatted(sampled.grain.label(), rows);
    }
    if (!usesBuckets()) {
      return "rows";
    }
    Map<Source, Long> counts = new EnumMap<>(Source.class);
    for (Piece piece : pieces) {
      if (piece.source != Source.ROWS) {
        long from = Math.max(piece.from, piece.source.grain.bucket(first));
        long micros = piece.source.grain.micros();
        long buckets = (Math.min(piece.to, end) - from + micros - 1) / micros;
        if (buckets > 0) {
          counts.merge(piece.source, buckets, Long::sum);
        }
      }
    }
    List<String> parts = new ArrayList<>();
    counts.forEach((source, n) -> parts.add(source.count(n)));
    String edges = rows < 0 ? "the rows of the edges" : "%,d rows".formatted(rows);
    boolean hasRows = rows != 0 && (rows > 0 || rowMicros() > 0);
    if (hasRows) {
      parts.add(rows == 1 ? "1 row" : edges);
    }
    if (parts.isEmpty()) {
      parts.add("nothing");
    }
    String list =
        parts.size() < 2
            ? parts.get(0)
            : String.join(", ", parts.subList(0, parts.size() - 1))
                + " and "
                + parts.get(parts.size() - 1);
    return String.format(Locale.ROOT, "rollup %s: %s", kept.set().name(), list);
  }
}
