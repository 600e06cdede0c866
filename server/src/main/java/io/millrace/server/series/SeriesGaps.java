package io.millrace.server.series;

import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.FlowQueryBuilder;
import io.millrace.store.SeriesResult;
import io.millrace.store.SeriesResult.Line;
import io.millrace.store.SeriesResult.Period;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Finds points of a series in which the table has no row at all, filtered or not. These are outages
 * of the collector or its exporters, as distinct from no matching traffic.
 */
public final class SeriesGaps {
  private static final int MAX_NAMED = 3;

  private final FlowQuery request;
  private final SeriesResult result;
  private final Function<FlowQuery, SeriesResult> store;

  /**
   * Prepares the gaps of a result.
   *
   * @param store returns the total of all rows; called only if the result has points without
   *     traffic and may be filtered
   */
  public SeriesGaps(
      FlowQuery request, SeriesResult result, Function<FlowQuery, SeriesResult> store) {
    this.request = request;
    this.result = result;
    this.store = store;
  }

  /** Returns for each point of a period whether it is a gap. Incomplete points are not. */
  public boolean[] of(Period period) {
    boolean[] gaps = empty(period);
    boolean isTotalOfAll = request.filter().isEmpty() && request.measure() != Measure.FLOWS;
    if (isTotalOfAll || !isAny(gaps)) {
      return gaps;
    }
    FlowQuery all =
        FlowQueryBuilder.builder(request)
            .dimensions(List.of())
            .measure(Measure.BITS)
            .filter(Optional.empty())
            .last(Optional.empty())
            .from(Optional.of(period.from()))
            .to(Optional.of(period.to()))
            .step(Optional.of(result.step()))
            .n(1)
            .previous(false)
            .reverse(false)
            .build();
    SeriesResult other = store.apply(all);
    boolean isSameTime =
        other.step().equals(result.step())
            && other.period().from().equals(period.from())
            && other.period().total().rates().length == gaps.length;
    boolean[] unused = isSameTime ? empty(other.period()) : new boolean[gaps.length];
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] &= unused[i];
    }
    return gaps;
  }

  private boolean[] empty(Period period) {
    Line total = period.total();
    boolean[] empty = new boolean[total.rates().length];
    Duration step = result.step();
    for (int i = 0; i < empty.length; i++) {
      boolean isExact = total.errors().length == 0 || total.errors()[i] == 0;
      boolean isNothing = request.measure() == Measure.SHARE || total.rates()[i] == 0;
      boolean isComplete =
          !period.from().plus(step.multipliedBy(i + 1L)).isAfter(result.completeUntil());
      empty[i] = isExact && isComplete && isNothing && !(total.rates()[i] > 0);
    }
    return empty;
  }

  private static boolean isAny(boolean[] gaps) {
    for (boolean gap : gaps) {
      if (gap) {
        return true;
      }
    }
    return false;
  }

  /** Suffix for a note, with up to three gaps and their total length; empty if there are none. */
  public static String text(boolean[] gaps, Instant from, Duration step) {
    List<List<Long>> ranges = ranges(gaps, from, step);
    if (ranges.isEmpty()) {
      return "";
    }
    long minutes = ranges.stream().mapToLong(its -> its.get(1) - its.get(0)).sum() / 60_000;
    String named =
        ranges.stream()
            .limit(MAX_NAMED)
            .map(
                its -> Instant.ofEpochMilli(its.get(0)) + " to " + Instant.ofEpochMilli(its.get(1)))
            .collect(Collectors.joining(", "));
    int more = ranges.size() - MAX_NAMED;
    return "; no rows in %d min, which count as 0: %s%s"
        .formatted(minutes, named, more > 0 ? " and %d more".formatted(more) : "");
  }

  /**
   * Returns the gaps of a period as time ranges.
   *
   * @return start (inclusive) and end (exclusive) of each, in milliseconds since the epoch, in
   *     order, disjoint and not adjacent
   */
  public static List<List<Long>> ranges(boolean[] gaps, Instant from, Duration step) {
    List<List<Long>> ranges = new ArrayList<>();
    for (int i = 0; i < gaps.length; i++) {
      if (!gaps[i]) {
        continue;
      }
      int first = i;
      while (i + 1 < gaps.length && gaps[i + 1]) {
        i++;
      }
      ranges.add(
          List.of(
              from.plus(step.multipliedBy(first)).toEpochMilli(),
              from.plus(step.multipliedBy(i + 1L)).toEpochMilli()));
    }
    return ranges;
  }
}
