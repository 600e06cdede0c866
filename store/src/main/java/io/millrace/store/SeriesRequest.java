package io.millrace.store;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A question for the largest groups over time.
 *
 * @param dimensions what rows are grouped by, as in {@link TopRequest}: at most three; none for the
 *     total alone
 * @param measure what a point tells
 * @param from start, inclusive; empty for the beginning
 * @param to end, exclusive; empty for now
 * @param last counted back from the newest row; excludes {@code from} and {@code to}
 * @param step length of a point, whole seconds, at most a thousand days; empty for the shortest
 *     round one that gives no more points than wanted, and needs no more rows than are read at once
 * @param points at most, where no step is wanted; 2 to 10,000
 * @param n number of groups, 1 to 500
 * @param table a table of flows
 * @param filter which flows count, in the {@linkplain io.millrace.store.filter.FilterParser filter
 *     language}; empty for all
 * @param previous whether the period of the same length before is wanted too
 * @param reverse whether the other direction is wanted too: source and destination, and the
 *     interfaces on the way in and out, exchanged in the dimensions and in the filter
 * @param scan whether to read the rows even where rollups have the answer
 * @param rolled whether an answer as of the newest roll will do, where the window has many rows
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
  /** Points where nobody says how many or how long. */
  public static final int DEFAULT_POINTS = 400;

  /** Most points, whoever says how long they are. */
  public static final int MOST_POINTS = 10_000;

  /** Groups where nobody says how many. */
  public static final int DEFAULT_N = 12;

  /** Most groups. */
  public static final int MOST_N = 500;

  private static final int MOST_DIMENSIONS = 3;
  private static final Duration LONGEST_STEP = Duration.ofDays(1_000);

  /** What a point tells. */
  public enum Measure {
    /** Bits a second. */
    BITS("bit/s", TopRequest.Measure.BYTES),
    /** Packets a second. */
    PACKETS("packet/s", TopRequest.Measure.PACKETS),
    /** Flows a second, as they came. */
    FLOWS("flow/s", TopRequest.Measure.FLOWS),
    /** How many percent of the bits of everything that was asked for. */
    SHARE("%", TopRequest.Measure.BYTES);

    private final String unit;
    private final TopRequest.Measure counted;

    Measure(String unit, TopRequest.Measure counted) {
      this.unit = unit;
      this.counted = counted;
    }

    /**
     * The measure of a name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Measure of(String name) {
      return Arrays.stream(values())
          .filter(measure -> measure.label().equalsIgnoreCase(name))
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "measure: " + name + " is none of bits, packets, flows and share"));
    }

    /** Its name in questions. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Unit of a point. */
    public String unit() {
      return unit;
    }

    /** What is summed up for it. */
    public TopRequest.Measure counted() {
      return counted;
    }
  }

  /** Checks what can be checked without the table. */
  public SeriesRequest {
    dimensions = List.copyOf(dimensions);
    if (dimensions.size() > MOST_DIMENSIONS) {
      throw new IllegalArgumentException(
          "series: %d dimensions, at most %d are allowed"
              .formatted(dimensions.size(), MOST_DIMENSIONS));
    }
    if (n < 1 || n > MOST_N) {
      throw new IllegalArgumentException("series: n is " + n + ", allowed are 1 to " + MOST_N);
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
          "series: points is %d, allowed are 2 to %d".formatted(points, MOST_POINTS));
    }
    if (step.isPresent()
        && (step.get().toSeconds() < 1
            || step.get().toNanosPart() != 0
            || step.get().compareTo(LONGEST_STEP) > 0)) {
      throw new IllegalArgumentException(
          "series: step is " + step.get() + ", allowed are whole seconds from 1 s to 1000 days");
    }
  }

  /** The groups of {@link Store#FLOWS} over all time, of {@link #DEFAULT_N}. */
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
