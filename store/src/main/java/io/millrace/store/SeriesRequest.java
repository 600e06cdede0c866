package io.millrace.store;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A query for the largest groups over time.
 *
 * @param dimensions group-by columns, as in {@link TopRequest}: at most three; none for the total
 *     only
 * @param measure unit of the points
 * @param from start, inclusive; empty for the beginning
 * @param to end, exclusive; empty for now
 * @param last range up to the newest row; excludes {@code from} and {@code to}
 * @param step length of a point, whole seconds, at most a thousand days; empty for the shortest
 *     round one within the limits on points and on rows per query
 * @param points maximum number of points if no step is given; 2 to 10,000
 * @param n number of groups, 1 to 500
 * @param table a table of flows
 * @param filter flows to count, in the {@linkplain io.millrace.store.filter.FilterParser filter
 *     language}; empty for all
 * @param previous whether to include the preceding period of the same length
 * @param reverse whether to include the other direction: source and destination, and ingress and
 *     egress interface, swapped in the dimensions and in the filter
 * @param scan whether to read the rows even if rollups cover the query
 * @param rolled whether a result as of the latest rollup is acceptable for windows with many rows
 */
@RecordBuilder
public record SeriesRequest(
    List<String> dimensions,
    Measure measure,
    Optional<Instant> from,
    Optional<Instant> to,
    Optional<Duration> last,
    Optional<Duration> step,
    int points,
    int n,
    String table,
    Optional<String> filter,
    boolean previous,
    boolean reverse,
    boolean scan,
    boolean rolled)
    implements SeriesRequestBuilder.With {
  /** Default number of points. */
  public static final int DEFAULT_POINTS = 400;

  /** Maximum number of points. */
  public static final int MOST_POINTS = 10_000;

  /** Default number of groups. */
  public static final int DEFAULT_N = 12;

  /** Maximum number of groups. */
  public static final int MOST_N = 500;

  private static final int MOST_DIMENSIONS = 3;
  private static final Duration LONGEST_STEP = Duration.ofDays(1_000);

  /** Unit of the points. */
  public enum Measure {
    /** Bits a second. */
    BITS("bit/s", TopRequest.Measure.BYTES),
    /** Packets a second. */
    PACKETS("packet/s", TopRequest.Measure.PACKETS),
    /** Flow records a second, unscaled. */
    FLOWS("flow/s", TopRequest.Measure.FLOWS),
    /** Percent of the bits of the total. */
    SHARE("%", TopRequest.Measure.BYTES);

    private final String unit;
    private final TopRequest.Measure counted;

    Measure(String unit, TopRequest.Measure counted) {
      this.unit = unit;
      this.counted = counted;
    }

    /**
     * Parses a name.
     *
     * @throws IllegalArgumentException if it is unknown
     */
    public static Measure of(String name) {
      return Arrays.stream(values())
          .filter(measure -> measure.label().equalsIgnoreCase(name))
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "measure: " + name + ": unknown, expected bits, packets, flows or share"));
    }

    /** Name in requests. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Unit of a point. */
    public String unit() {
      return unit;
    }

    /** The summed measure. */
    public TopRequest.Measure counted() {
      return counted;
    }
  }

  /** Validates what does not depend on the table. */
  public SeriesRequest {
    dimensions = List.copyOf(dimensions);
    if (dimensions.size() > MOST_DIMENSIONS) {
      throw new IllegalArgumentException(
          "series: %d dimensions, at most %d are allowed"
              .formatted(dimensions.size(), MOST_DIMENSIONS));
    }
    if (n < 1 || n > MOST_N) {
      throw new IllegalArgumentException("series: n is " + n + ", expected 1 to " + MOST_N);
    }
    if (last.isPresent() && (from.isPresent() || to.isPresent())) {
      throw new IllegalArgumentException("series: last excludes from and to");
    }
    if (from.isPresent() && to.isPresent() && !from.get().isBefore(to.get())) {
      throw new IllegalArgumentException(
          "series: from " + from.get() + " is not before to " + to.get());
    }
    if (points < 2 || points > MOST_POINTS) {
      throw new IllegalArgumentException(
          "series: points is %d, expected 2 to %d".formatted(points, MOST_POINTS));
    }
    if (step.isPresent()
        && (step.get().toSeconds() < 1
            || step.get().toNanosPart() != 0
            || step.get().compareTo(LONGEST_STEP) > 0)) {
      throw new IllegalArgumentException(
          "series: step is " + step.get() + ", expected whole seconds from 1 s to 1000 days");
    }
  }

  /** {@link #DEFAULT_N} groups of {@link Store#FLOWS} over all time. */
  public static SeriesRequest of(Measure measure, String... dimensions) {
    return SeriesRequestBuilder.builder()
        .dimensions(List.of(dimensions))
        .measure(measure)
        .points(DEFAULT_POINTS)
        .n(DEFAULT_N)
        .table(Store.FLOWS)
        .build();
  }
}
