package io.millrace.store;

import io.millrace.pulse.TimeUnits;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A query for the largest groups.
 *
 * @param dimensions group-by columns, at least one: {@code as}, {@code dns}, {@code domain}, {@code
 *     addr}, {@code port} stand for source and destination (two columns of the result), {@code
 *     src_as} and the like for one of them; other columns of the table by name
 * @param by summed measure
 * @param from start, inclusive; empty for the beginning
 * @param to end, exclusive; empty for now
 * @param last range up to the newest row; excludes {@code from} and {@code to}
 * @param n number of groups, 1 to 10,000
 * @param table a table of flows
 * @param filter flows to count, in the {@linkplain io.millrace.store.filter.FilterParser filter
 *     language}; empty for all
 * @param scan whether to read the rows even if rollups cover the query
 * @param p95 whether to rank by the 95th percentile of 5-minute rates, as in transit billing; by
 *     volume if no 5-minute interval lies entirely in the window
 */
@RecordBuilder
public record TopRequest(
    List<String> dimensions,
    Measure by,
    Optional<Instant> from,
    Optional<Instant> to,
    Optional<Duration> last,
    int n,
    String table,
    Optional<String> filter,
    boolean scan,
    boolean p95)
    implements TopRequestBuilder.With {
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})([a-z]*)");

  /** Measure of volume. */
  public enum Measure {
    /** IP bytes. */
    BYTES,
    /** Packets. */
    PACKETS,
    /** Rows of the table, unscaled. */
    FLOWS
  }

  /** Validates what does not depend on the table. */
  public TopRequest {
    dimensions = List.copyOf(dimensions);
    if (dimensions.isEmpty()) {
      throw new IllegalArgumentException("top: missing dimension (as, addr, …)");
    }
    if (n < 1 || n > 10_000) {
      throw new IllegalArgumentException("top: n is " + n + ", expected 1 to 10000");
    }
    if (last.isPresent() && (from.isPresent() || to.isPresent())) {
      throw new IllegalArgumentException("top: last excludes from and to");
    }
    if (from.isPresent() && to.isPresent() && from.get().isAfter(to.get())) {
      throw new IllegalArgumentException(
          "top: from " + from.get() + " is not before to " + to.get());
    }
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

  /** A query by volume that may use rollups. */
  public TopRequest(
      List<String> dimensions,
      Measure by,
      Optional<Instant> from,
      Optional<Instant> to,
      Optional<Duration> last,
      int n,
      String table) {
    this(dimensions, by, from, to, last, n, table, Optional.empty(), false, false);
  }

  /** The largest groups over all rows of {@link Store#FLOWS}. */
  public static TopRequest of(int n, Measure by, String... dimensions) {
    return new TopRequest(
        List.of(dimensions),
        by,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        n,
        Store.FLOWS);
  }

  /** The same query with a filter. */
  public TopRequest withFilter(String filter) {
    return withFilter(Optional.of(filter));
  }
}
