package io.millrace.store.duckdb.top;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowQuery;
import io.millrace.store.SeriesResult;
import io.millrace.store.SeriesResult.Group;
import io.millrace.store.SeriesResult.Line;
import io.millrace.store.SeriesResult.Period;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Queries series of {@link RolledFlows} and compares results. */
final class SeriesComparison {
  static final Duration LIMIT = Duration.ofMinutes(1);
  static final long SECOND = 1_000_000;
  static final long HOUR = 3_600 * SECOND;

  private SeriesComparison() {}

  /**
   * Runs a query.
   *
   * @param maxRows maximum rows to read if buckets dropped groups
   */
  static SeriesResult series(
      RolledFlows from, Accounting accounting, long maxRows, FlowQuery request) {
    return new SeriesQuery(from.source(accounting).reading(maxRows))
        .run(request, LIMIT, new Cancellation());
  }

  /** Runs a query over buckets that dropped nothing. */
  static SeriesResult series(RolledFlows from, Accounting accounting, FlowQuery request) {
    return series(from, accounting, Choice.MAX_ROWS, request);
  }

  /** Time so many microseconds after the first minute. */
  static Instant at(long micros) {
    return Instant.EPOCH.plus(RolledFlows.START + micros, ChronoUnit.MICROS);
  }

  static void same(Line a, Line b, String as) {
    assertThat(a.rates()).as(as).containsExactly(b.rates(), within(1e-6));
    assertThat(a.total()).as(as).isEqualTo(b.total(), within(1e-6));
    assertThat(a.share()).as(as).isEqualTo(b.share(), within(1e-9));
    assertThat(a.average()).as(as).isEqualTo(b.average(), within(1e-6));
    assertThat(a.maximum()).as(as).isEqualTo(b.maximum(), within(1e-6));
    assertThat(a.p95()).as(as).isEqualTo(b.p95(), within(1e-6));
    assertThat(a.bound()).as(as).isEqualTo(b.bound());
  }

  static void same(Period a, Period b, String as) {
    assertThat(a.from()).as(as).isEqualTo(b.from());
    assertThat(a.to()).as(as).isEqualTo(b.to());
    assertThat(a.groups())
        .as(as)
        .extracting(Group::key)
        .isEqualTo(b.groups().stream().map(Group::key).toList());
    assertThat(a.groups())
        .as(as)
        .extracting(Group::label)
        .isEqualTo(b.groups().stream().map(Group::label).toList());
    same(a.total(), b.total(), as + " total");
    same(a.others(), b.others(), as + " others");
    for (int i = 0; i < a.groups().size(); i++) {
      same(a.groups().get(i).line(), b.groups().get(i).line(), as + " " + a.groups().get(i).key());
    }
  }
}
