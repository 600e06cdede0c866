package io.millrace.store;

import io.millrace.pulse.TimeUnits;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A query for the largest groups of flows, in one point or over time.
 *
 * @param dimensions group-by columns: {@code as}, {@code dns}, {@code domain}, {@code addr}, {@code
 *     port} stand for source and destination (two columns of the result), {@code src_as} and the
 *     like for one of them; other columns of the table by name. With several points at most three,
 *     or none for the total only
 * @param measure what is summed
 * @param from start, inclusive; empty for the beginning
 * @param to end, exclusive; empty for now
 * @param last range up to the newest row; excludes {@code from} and {@code to}
 * @param step length of a point, whole seconds, at most a thousand days; empty for the shortest
 *     round one within the limits on points and on rows per query
 * @param points maximum number of points if no step is given, to 10,000; 1 for one point that is as
 *     long as the range
 * @param n number of groups, from 1; to 10,000 with one point, else to 500
 * @param table a table of flows
 * @param filter flows to count, in the {@linkplain io.millrace.store.filter.FilterParser filter
 *     language}; empty for all
 * @param previous whether to include the preceding period of the same length
 * @param reverse whether to include the other direction: source and destination, and ingress and
 *     egress interface, swapped in the dimensions and in the filter
 * @param scan whether to read the rows even if rollups cover the query
 * @param rolled whether a result as of the latest rollup is acceptable for windows with many rows
 * @param p95 whether to rank by the 95th percentile of 5-minute rates, as in transit billing; by
 *     volume if no 5-minute interval lies entirely in the window; of one point only
 */
@RecordBuilder
public record FlowQuery(
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
    boolean rolled,
    boolean p95)
    implements FlowQueryBuilder.With {
  /** Default number of points of a series. */
  public static final int DEFAULT_POINTS = 400;

  /** Maximum number of points. */
  public static final int MAX_POINTS = 10_000;

  /** Default number of groups of a series. */
  public static final int DEFAULT_N = 12;

  /** Maximum number of groups of a series. */
  public static final int MAX_N = 500;

  /** Maximum number of groups in one point. */
  public static final int MAX_TOP = 10_000;

  private static final int MAX_DIMENSIONS = 3;
  private static final Duration LONGEST_STEP = Duration.ofDays(1_000);
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})([a-z]*)");

  /** What is summed, and the unit of its rates. */
  public enum Measure {
    /** Bytes of IP; bits a second. */
    BITS("bit/s"),
    /** Packets; packets a second. */
    PACKETS("packet/s"),
    /** Flow records, unscaled; records a second. */
    FLOWS("flow/s"),
    /** Bytes of IP; percent of the total. */
    SHARE("%");

    private final String unit;

    Measure(String unit) {
      this.unit = unit;
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

    /** Units of a rate in one unit of the sum: bits in a byte. */
    public int units() {
      return this == BITS || this == SHARE ? Byte.SIZE : 1;
    }
  }

  /** Validates what does not depend on the table. */
  public FlowQuery {
    dimensions = List.copyOf(dimensions);
    boolean isTop = points == 1;
    String name = isTop ? "top" : "series";
    if (isTop && dimensions.isEmpty()) {
      throw new IllegalArgumentException("top: missing dimension (as, addr, …)");
    }
    if (!isTop && dimensions.size() > MAX_DIMENSIONS) {
      throw new IllegalArgumentException(
          "series: %d dimensions, at most %d are allowed"
              .formatted(dimensions.size(), MAX_DIMENSIONS));
    }
    int max = isTop ? MAX_TOP : MAX_N;
    if (n < 1 || n > max) {
      throw new IllegalArgumentException(name + ": n is " + n + ", expected 1 to " + max);
    }
    if (last.isPresent() && (from.isPresent() || to.isPresent())) {
      throw new IllegalArgumentException(name + ": last is mutually exclusive with from and to");
    }
    if (from.isPresent()
        && to.isPresent()
        && (isTop ? from.get().isAfter(to.get()) : !from.get().isBefore(to.get()))) {
      throw new IllegalArgumentException(
          name + ": from " + from.get() + " is not before to " + to.get());
    }
    if (points < 1 || points > MAX_POINTS) {
      throw new IllegalArgumentException(
          "series: points is %d, expected 2 to %d".formatted(points, MAX_POINTS));
    }
    if (step.isPresent()
        && (step.get().toSeconds() < 1
            || step.get().toNanosPart() != 0
            || step.get().compareTo(LONGEST_STEP) > 0)) {
      throw new IllegalArgumentException(
          "series: step is " + step.get() + ", expected whole seconds from 1 s to 1000 days");
    }
    if (isTop && (step.isPresent() || previous || reverse || rolled)) {
      throw new IllegalArgumentException(
          "top: one point has no step, previous period, other direction or latest rollup");
    }
    if (!isTop && p95) {
      throw new IllegalArgumentException("series: p95 ranks groups of one point only");
    }
  }

  /** {@link #DEFAULT_N} groups of {@link Store#FLOWS} over all time, in points. */
  public static FlowQuery series(Measure measure, String... dimensions) {
    return builder(List.of(dimensions), measure, DEFAULT_N).points(DEFAULT_POINTS).build();
  }

  /** The largest groups of {@link Store#FLOWS} over all time. */
  public static FlowQuery top(int n, Measure measure, String... dimensions) {
    return builder(List.of(dimensions), measure, n).build();
  }

  /** The largest groups of a time range. */
  public static FlowQuery top(
      List<String> dimensions,
      Measure measure,
      Optional<Instant> from,
      Optional<Instant> to,
      Optional<Duration> last,
      int n,
      String table) {
    return builder(dimensions, measure, n).from(from).to(to).last(last).table(table).build();
  }

  private static FlowQueryBuilder builder(List<String> dimensions, Measure measure, int n) {
    return FlowQueryBuilder.builder()
        .dimensions(dimensions)
        .measure(measure)
        .points(1)
        .n(n)
        .table(Store.FLOWS);
  }

  /** The same query with a filter. */
  public FlowQuery withFilter(String condition) {
    return withFilter(Optional.of(condition));
  }

  /**
   * Parses a duration of a request: {@code 300} seconds, {@code 5m}, {@code 1h}, {@code 1y}, in any
   * of the {@linkplain TimeUnits units}.
   *
   * @param name name of the parameter, for the message
   * @throws IllegalArgumentException if it is invalid
   */
  public static Duration duration(String name, String text) {
    Matcher matcher = DURATION.matcher(text);
    String unit = matcher.matches() && !matcher.group(2).isEmpty() ? matcher.group(2) : "s";
    if (!matcher.matches() || !TimeUnits.NANOS.containsKey(unit)) {
      throw new IllegalArgumentException(
          name + ": " + text + ": invalid duration, expected one such as 5m, 1h, 7d, 4w or 1y");
    }
    return Duration.ofNanos(TimeUnits.NANOS.get(unit))
        .multipliedBy(Long.parseLong(matcher.group(1)));
  }
}
