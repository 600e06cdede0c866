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
 * A question for the largest groups.
 *
 * @param dimensions what rows are grouped by, at least one: {@code as}, {@code dns}, {@code
 *     domain}, {@code addr}, {@code port} stand for source and destination (two columns of the
 *     answer), {@code src_as} and the like for one of them; any other column of the table by its
 *     name
 * @param by what is summed up
 * @param from start, inclusive; empty for the beginning
 * @param to end, exclusive; empty for now
 * @param last counted back from the newest row; excludes {@code from} and {@code to}
 * @param n number of groups, 1 to 10,000
 * @param table a table of flows
 * @param filter which flows count, in the {@linkplain io.millrace.store.filter.FilterParser filter
 *     language}; empty for all
 * @param scan whether to read the rows even where rollups have the answer
 * @param p95 whether to rank by the 95th percentile of the rates of 5 minutes, as transit is
 *     billed; where no 5 minutes lie whole in the window, by volume
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

  /** What volume is counted in. */
  public enum Measure {
    /** IP bytes. */
    BYTES,
    /** Packets. */
    PACKETS,
    /** Rows of the table, which are not scaled. */
    FLOWS
  }

  /** Checks what can be checked without the table. */
  public TopRequest {
    dimensions = List.copyOf(dimensions);
    if (dimensions.isEmpty()) {
      throw new IllegalArgumentException("top: at least one dimension is needed (as, addr, …)");
    }
    if (n < 1 || n > 10_000) {
      throw new IllegalArgumentException("top: n is " + n + ", allowed are 1 to 10000");
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
   * A length of time as questions write it: {@code 300} seconds, {@code 5m}, {@code 1h}, {@code
   * 1y}, in any of the {@linkplain TimeUnits units}.
   *
   * @param name what it is called, for the message
   * @throws IllegalArgumentException if it is none
   */
  public static Duration duration(String name, String text) {
    Matcher matcher = DURATION.matcher(text);
    String unit = matcher.matches() && !matcher.group(2).isEmpty() ? matcher.group(2) : "s";
    if (!matcher.matches() || !TimeUnits.NANOS.containsKey(unit)) {
      throw new IllegalArgumentException(
          name + ": " + text + " is not a duration, write 5m, 1h, 7d, 4w or 1y");
    }
    return Duration.ofNanos(TimeUnits.NANOS.get(unit))
        .multipliedBy(Long.parseLong(matcher.group(1)));
  }

  /** A question for volumes, answered from whatever is fastest. */
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

  /** The same with only the flows that pass a filter. */
  public TopRequest withFilter(String filter) {
    return withFilter(Optional.of(filter));
  }
}
