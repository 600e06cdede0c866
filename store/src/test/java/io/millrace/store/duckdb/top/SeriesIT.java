package io.millrace.store.duckdb.top;

import static io.millrace.store.duckdb.top.SeriesComparison.HOUR;
import static io.millrace.store.duckdb.top.SeriesComparison.LIMIT;
import static io.millrace.store.duckdb.top.SeriesComparison.at;
import static io.millrace.store.duckdb.top.SeriesComparison.same;
import static io.millrace.store.duckdb.top.SeriesComparison.series;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.SeriesResult;
import io.millrace.store.SeriesResult.Group;
import io.millrace.store.SeriesResult.Line;
import io.millrace.store.SeriesResult.Period;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Shares, estimates, other directions, and time without rows in a series. */
class SeriesIT {
  private static RolledFlows flows;

  @BeforeAll
  static void fill() throws SQLException {
    flows = new RolledFlows(2, 3_000, true, RollupConfig.DEFAULT);
  }

  @AfterAll
  static void close() throws SQLException {
    flows.close();
  }

  @Test
  void sharesArePercentOfTheTotalOfTheirPoint() {
    FlowQuery bits = FlowQuery.series(Measure.BITS, "src_as");
    Period rates = series(flows, Accounting.SPREAD, bits).period();
    Period shares =
        series(flows, Accounting.SPREAD, Choice.MAX_ROWS, FlowQuery.series(Measure.SHARE, "src_as"))
            .period();
    assertThat(shares.groups()).hasSameSizeAs(rates.groups()).isNotEmpty();
    for (int i = 0; i < rates.groups().size(); i++) {
      Line line = rates.groups().get(i).line();
      Line share = shares.groups().get(i).line();
      for (int point = 0; point < line.rates().length; point++) {
        double all = rates.total().rates()[point];
        assertThat(share.rates()[point])
            .isEqualTo(all == 0 ? Double.NaN : 100 * line.rates()[point] / all, within(1e-9));
      }
      assertThat(share.average()).isEqualTo(100 * line.share(), within(1e-9));
      assertThat(share.total()).isEqualTo(line.total());
      assertThat(share.maximum()).isPositive().isLessThanOrEqualTo(100);
    }
    assertThat(shares.total().average()).isEqualTo(100);
  }

  @Test
  void existingRowsAreNeverEstimated() {
    FlowQuery request =
        FlowQuery.series(Measure.BITS, "proto")
            .withStep(Optional.of(Duration.ofHours(1)))
            .withN(5)
            .withFilter(Optional.of("dst_port < 100 and src_as > 5"));
    Period exact = series(flows, Accounting.SPREAD, 100, request.withScan(true)).period();
    for (long maxRows : new long[] {100, Choice.MAX_ROWS}) {
      Period period = series(flows, Accounting.SPREAD, maxRows, request).period();
      assertThat(period.source()).isEqualTo("rows");
      assertThat(period.total().total()).isEqualTo(exact.total().total());
      assertThat(period.total().error()).isZero();
    }
  }

  @Test
  void totalsEqualThoseOfTop() {
    Random random = new Random(6);
    for (int i = 0; i < 30; i++) {
      long from = Grain.HOUR.bucket(random.nextLong(40 * HOUR));
      Measure measure = Measure.values()[i % 4];
      FlowQuery request =
          FlowQuery.series(measure, "as")
              .withFrom(Optional.of(at(from)))
              .withTo(Optional.of(at(from + 4 * HOUR)))
              .withStep(Optional.of(Duration.ofMinutes(15)))
              .withN(8);
      Period period = series(flows, Accounting.SPREAD, request).period();
      TopResult top =
          new TopQuery(flows.source(Accounting.SPREAD))
              .run(
                  FlowQuery.top(
                      List.of("as"),
                      measure,
                      Optional.of(period.from()),
                      Optional.of(period.to()),
                      Optional.empty(),
                      8,
                      "flows"),
                  LIMIT,
                  new Cancellation());
      int units = measure.units();
      List<Double> volumes = new ArrayList<>();
      period.groups().forEach(group -> volumes.add(group.line().total() / units));
      assertThat(volumes).isEqualTo(top.rows().stream().map(TopResult.Row::volume).toList());
      assertThat(period.total().total() / units).isEqualTo(top.total());
    }
  }

  /** The volume from A to B in one direction is that to B from A in the other. */
  @Test
  void theOtherDirectionHasTheSidesSwapped() {
    FlowQuery forward =
        FlowQuery.series(Measure.BITS, "src_as", "dst_as")
            .withStep(Optional.of(Duration.ofHours(1)))
            .withN(20)
            .withFilter(Optional.of("src port 0 or in_if < 3"))
            .withReverse(true);
    FlowQuery backward =
        forward
            .withDimensions(List.of("dst_as", "src_as"))
            .withN(500)
            .withFilter(Optional.of("dst port 0 or out_if < 3"))
            .withReverse(false);
    Period reverse = series(flows, Accounting.ARRIVAL, forward).reverse().orElseThrow();
    Period expected = series(flows, Accounting.ARRIVAL, backward).period();
    assertThat(reverse.total().rates()).isEqualTo(expected.total().rates());
    int found = 0;
    for (Group group : reverse.groups()) {
      for (Group its : expected.groups()) {
        if (its.key().equals(group.key())) {
          found++;
          assertThat(group.line().rates()).isEqualTo(its.line().rates());
        }
      }
    }
    assertThat(found).isPositive();
  }

  private static FlowQuery tenToTwelve(int stepSeconds) {
    return FlowQuery.series(Measure.PACKETS, "dst_port")
        .withFrom(Optional.of(at(10 * HOUR)))
        .withTo(Optional.of(at(12 * HOUR)))
        .withStep(Optional.of(Duration.ofSeconds(stepSeconds)))
        .withN(9)
        .withPrevious(true);
  }

  @Test
  void withoutRowsPointsAreAsLongAsBuckets() throws SQLException {
    try (RolledFlows gone = new RolledFlows(2, 3_000, true, RollupConfig.DEFAULT)) {
      gone.remove(RolledFlows.START + 40 * HOUR);
      SeriesResult old = series(gone, Accounting.SPREAD, tenToTwelve(10));
      SeriesResult all = series(flows, Accounting.SPREAD, tenToTwelve(60).withScan(true));
      assertThat(old.step()).isEqualTo(Duration.ofMinutes(1));
      same(old.period(), all.period(), old.period().source());
      same(old.previous().orElseThrow(), all.previous().orElseThrow(), "previous");
    }
  }

  @Test
  void nothingIsKnownBeforeTheFirstRow() {
    FlowQuery request =
        FlowQuery.series(Measure.BITS, "src_as")
            .withFrom(Optional.of(at(-100 * HOUR)))
            .withTo(Optional.of(at(30 * HOUR)))
            .withStep(Optional.of(Duration.ofHours(1)))
            .withN(3)
            .withPrevious(true);
    SeriesResult result = series(flows, Accounting.ARRIVAL, request);
    assertThat(result.period().from()).isAfter(at(-6 * HOUR));
    assertThat(result.period().total().rates()).doesNotContain(Double.NaN);
    double[] before = result.previous().orElseThrow().total().rates();
    assertThat(before).hasSameSizeAs(result.period().total().rates()).containsOnly(Double.NaN);
  }
}
