package io.millrace.store.duckdb.top;

import static io.millrace.store.duckdb.top.SeriesComparison.HOUR;
import static io.millrace.store.duckdb.top.SeriesComparison.SECOND;
import static io.millrace.store.duckdb.top.SeriesComparison.at;
import static io.millrace.store.duckdb.top.SeriesComparison.same;
import static io.millrace.store.duckdb.top.SeriesComparison.series;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.SeriesResult;
import io.millrace.store.SeriesResult.Group;
import io.millrace.store.SeriesResult.Period;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Groups over time from rollups, from rows, and from a plain GROUP BY of the rows. */
class SeriesPropertyIT {
  private static final boolean LONG = Boolean.getBoolean("millrace.long");
  private static final int ROUNDS = LONG ? 8 : 3;
  private static final int QUERIES = LONG ? 2_000 : 24;
  private static final long SEED =
      Long.getLong("millrace.rollup.seed", LONG ? System.nanoTime() : 5);
  private static final List<List<String>> DIMENSIONS =
      List.of(
          List.of("as"),
          List.of("src_as"),
          List.of("src_addr"),
          List.of("dst_port", "proto"),
          List.of("exporter", "in_if"),
          List.of("in_if", "out_if"),
          List.of("tos"),
          List.of());

  private static final Duration A_DAY = Duration.ofDays(1);

  /** With it, any time range has many rows. */
  private static final long FEW = 5;

  private static RolledFlows flows;
  private static RolledFlows dropping;

  @BeforeAll
  static void fill() throws SQLException {
    flows = new RolledFlows(2, 3_000, true, RollupConfig.DEFAULT);
    dropping = new RolledFlows(11, 1_500, false, RollupConfig.DEFAULT.withKeep(10));
    dropping.append(300);
  }

  @AfterAll
  static void close() throws SQLException {
    flows.close();
    dropping.close();
  }

  private static FlowQuery random(Random random) {
    long from = random.nextLong(50 * HOUR);
    long to = from + SECOND + random.nextLong(20 * HOUR);
    boolean isLast = random.nextInt(4) == 0;
    boolean hasFrom = !isLast && random.nextInt(5) > 0;
    boolean hasTo = !isLast && random.nextInt(5) > 0;
    List<Duration> steps =
        List.of(
            Duration.ofSeconds(7),
            Duration.ofMinutes(1),
            Duration.ofMinutes(7),
            Duration.ofMinutes(15),
            Duration.ofHours(1),
            Duration.ofHours(2),
            Duration.ofDays(1));
    Duration step = steps.get(random.nextInt(to - from < 10 * HOUR ? 7 : 6) % 7);
    if (step.toSeconds() < 60 && (!hasFrom || !hasTo || to - from > 7 * HOUR)) {
      step = Duration.ofMinutes(5); // otherwise there would be too many points
    }
    List<String> filters = List.of("dst_port < 100", "src_as > 5 or dst_as is null", "proto = 6");
    List<String> dimensions = DIMENSIONS.get(random.nextInt(DIMENSIONS.size()));
    return FlowQuery.series(Measure.values()[random.nextInt(4)], dimensions.toArray(String[]::new))
        .withFrom(hasFrom ? Optional.of(at(from)) : Optional.empty())
        .withTo(hasTo ? Optional.of(at(to)) : Optional.empty())
        .withLast(isLast ? Optional.of(Duration.ofHours(1 + random.nextInt(40))) : Optional.empty())
        .withStep(random.nextInt(3) == 0 ? Optional.empty() : Optional.of(step))
        .withN(random.nextBoolean() ? 5 : 50)
        .withFilter(
            random.nextInt(3) == 0
                ? Optional.of(filters.get(random.nextInt(filters.size())))
                : Optional.empty())
        .withPrevious(random.nextBoolean())
        .withReverse(random.nextBoolean());
  }

  @Test
  void rollupsEqualRows() {
    Random random = new Random(SEED);
    int rolled = 0;
    for (int i = 0; i < QUERIES; i++) {
      RolledFlows from = i % 3 == 0 ? dropping : flows;
      Accounting accounting = Accounting.values()[i % 2];
      FlowQuery request = random(random);
      SeriesResult fast = series(from, accounting, request);
      SeriesResult scan = series(from, accounting, request.withScan(true));
      String as =
          "seed %d, %d %s %s %s".formatted(SEED, i, accounting, request, fast.period().source());
      assertThat(fast.step()).as(as).isEqualTo(scan.step());
      assertThat(fast.isEstimated()).as(as).isEqualTo(scan.isEstimated());
      assertThat(scan.period().source()).isEqualTo("rows");
      same(fast.period(), scan.period(), as);
      assertThat(fast.previous().isPresent()).isEqualTo(request.previous());
      fast.previous().ifPresent(its -> same(its, scan.previous().orElseThrow(), "previous " + as));
      fast.reverse().ifPresent(its -> same(its, scan.reverse().orElseThrow(), "reverse " + as));
      rolled += fast.period().source().startsWith("rollup") ? 1 : 0;
    }
    assertThat(rolled).isGreaterThan(QUERIES / 3);
  }

  /** If open minutes have many groups, only those that can be among the largest are summed. */
  @Test
  void theLargestOfOpenMinutesAreFound() {
    Random random = new Random(SEED);
    int open = 0;
    for (int i = 0; i < 2 * QUERIES; i++) {
      FlowQuery request =
          FlowQuery.series(
                  Measure.values()[i % 3], DIMENSIONS.get(random.nextInt(6)).toArray(String[]::new))
              .withLast(Optional.of(Duration.ofMinutes(20 + random.nextInt(200))))
              .withStep(Optional.of(Duration.ofMinutes(5)))
              .withN(1 + random.nextInt(6));
      SeriesResult fast = series(flows, Accounting.ARRIVAL, FEW, request);
      SeriesResult scan = series(flows, Accounting.ARRIVAL, request.withScan(true));
      same(fast.period(), scan.period(), i + " " + request + " " + fast.period().source());
      open += fast.period().source().contains("open minute") ? 1 : 0;
    }
    assertThat(open).isGreaterThan(QUERIES);
  }

  /** Cached sums stay valid, except buckets that late rows and rewinds have changed. */
  @Test
  void lateRowsAndRewindsAreSeen() throws SQLException {
    try (RolledFlows changing = new RolledFlows(7, 1_500, true, RollupConfig.DEFAULT)) {
      for (int round = 0; round < ROUNDS; round++) {
        for (List<String> dimensions : List.of(List.of("as"), List.of("dst_port", "proto"))) {
          for (int n : new int[] {3, 8}) { // more groups than before in the same buckets
            FlowQuery request =
                FlowQuery.series(Measure.BITS, dimensions.toArray(String[]::new))
                    .withStep(Optional.of(Duration.ofHours(1)))
                    .withN(n);
            SeriesResult fast = series(changing, Accounting.SPREAD, request);
            SeriesResult scan = series(changing, Accounting.SPREAD, request.withScan(true));
            assertThat(fast.period().source()).startsWith("rollup");
            same(fast.period(), scan.period(), round + " " + request);
          }
        }
        changing.append(200);
      }
    }
  }

  @Test
  void rowsEqualAGroupBy() throws SQLException {
    Random random = new Random(9);
    for (int i = 0; i < 20; i++) {
      int seconds = List.of(60, 420, 3_600).get(random.nextInt(3));
      long from = random.nextLong(40 * HOUR);
      FlowQuery request =
          FlowQuery.series(Measure.values()[i % 3], "src_as")
              .withFrom(Optional.of(at(from)))
              .withTo(Optional.of(at(from + 5 * HOUR)))
              .withStep(Optional.of(Duration.ofSeconds(seconds)))
              .withN(500)
              .withScan(i % 2 == 0);
      Period period = series(flows, Accounting.ARRIVAL, request).period();
      Map<String, Map<Long, Double>> expected = new TreeMap<>();
      String sum =
          switch (request.measure()) {
            case BITS, SHARE -> "sum(bytes * coalesce(sampling_rate, 1)) * 8";
            case PACKETS -> "sum(packets * coalesce(sampling_rate, 1))";
            case FLOWS -> "count(*)";
          };
      try (Statement statement = flows.root.createStatement();
          ResultSet rows =
              statement.executeQuery(
                  "SELECT coalesce(src_as::VARCHAR, 'null'), epoch_us(time_bucket(INTERVAL %d SECOND, time, TIMESTAMP '1970-01-01')), coalesce(%s, 0)::DOUBLE / %d FROM flows WHERE time >= '%s' AND time < '%s' GROUP BY 1, 2"
                      .formatted(
                          seconds,
                          sum,
                          seconds,
                          period.from().toString().replace("Z", ""),
                          period.to().toString().replace("Z", "")))) {
        while (rows.next()) {
          expected
              .computeIfAbsent(rows.getString(1), any -> new TreeMap<>())
              .put(rows.getLong(2), rows.getDouble(3));
        }
      }
      assertThat(period.groups())
          .as("%s", request)
          .extracting(group -> String.valueOf(group.key().get(0)))
          .containsExactlyInAnyOrderElementsOf(expected.keySet());
      long start = ChronoUnit.MICROS.between(Instant.EPOCH, period.from());
      for (Group group : period.groups()) {
        Map<Long, Double> its = expected.get(String.valueOf(group.key().get(0)));
        double[] rates = group.line().rates();
        for (int p = 0; p < rates.length; p++) {
          assertThat(rates[p])
              .as("%s %s %s", request, group.key(), p)
              .isEqualTo(its.getOrDefault(start + (long) p * seconds * SECOND, 0.0), within(1e-6));
        }
      }
      assertThat(period.others().total()).isZero();
    }
  }

  @Test
  void droppedGroupsAreBounded() {
    Random random = new Random(1);
    int uncertain = 0;
    for (int i = 0; i < QUERIES; i++) {
      Accounting accounting = Accounting.values()[i % 2];
      FlowQuery request = random(random);
      SeriesResult fast = series(dropping, accounting, 100, request);
      SeriesResult scan = series(dropping, accounting, 100, request.withN(250).withScan(true));
      String as = i + " " + accounting + " " + request + " " + fast.period().source();
      bounded(fast.period(), scan.period(), as);
      if (!fast.period().groups().isEmpty()) {
        uncertain += fast.period().bound() > 0 ? 1 : 0;
      }
      fast.previous().ifPresent(its -> bounded(its, scan.previous().orElseThrow(), as));
    }
    assertThat(uncertain).isGreaterThan(QUERIES / 12);
  }

  /** No value is greater than the exact one, or less by more than the bound. */
  private static void bounded(Period fast, Period scan, String as) {
    assertThat(fast.from()).as(as).isEqualTo(scan.from());
    double missing = scan.total().total() - fast.total().total();
    assertThat(missing).as(as).isBetween(-1e-6, fast.total().bound() + 1e-6);
    for (Group group : fast.groups()) {
      double truth =
          scan.groups().stream()
              .filter(its -> its.key().equals(group.key()))
              .mapToDouble(its -> its.line().total())
              .findFirst()
              .orElseThrow();
      assertThat(truth - group.line().total())
          .as("%s %s", group.key(), as)
          .isBetween(-1e-6, group.line().bound() + 1e-6);
    }
  }

  /** Facts about the rollups are then read again between the groups and their sums. */
  @Test
  void runsWhileRowsAreRolledUp() throws SQLException {
    FlowQuery request = FlowQuery.series(Measure.BITS, "as");
    for (int i = 0; i < 3; i++) {
      dropping.append(10);
      assertThat(series(dropping, Accounting.SPREAD, 100, request).period().groups()).isNotEmpty();
    }
  }

  /** A result as of the newest roll equals the one without later rows. */
  @Test
  void rowsNotRolledUpAreOmittedOnRequest() throws SQLException {
    try (RolledFlows trailing = new RolledFlows(13, 1_500, true, RollupConfig.DEFAULT)) {
      Random random = new Random(4);
      List<FlowQuery> requests = new ArrayList<>();
      List<SeriesResult> answers = new ArrayList<>();
      for (int i = 0; i < QUERIES; i++) {
        FlowQuery request = random(random).withStep(Optional.of(Duration.ofHours(1)));
        requests.add(request);
        answers.add(series(trailing, Accounting.SPREAD, FEW, request.withRolled(true)));
      }
      FlowQuery total = FlowQuery.series(Measure.FLOWS).withStep(Optional.of(A_DAY));
      SeriesResult before = series(trailing, Accounting.SPREAD, total);
      double all = before.period().total().total();
      trailing.removeUnrolled();
      double rolled = series(trailing, Accounting.SPREAD, total).period().total().total();
      assertThat(rolled).isPositive().isLessThan(all);
      Instant first =
          series(trailing, Accounting.SPREAD, total.withStep(Optional.of(Duration.ofHours(1))))
              .period()
              .from();
      int compared = 0;
      for (int i = 0; i < QUERIES; i++) {
        FlowQuery request = requests.get(i);
        SeriesResult scan = series(trailing, Accounting.SPREAD, FEW, request.withScan(true));
        boolean isRolled = answers.get(i).period().source().startsWith("rollup");
        boolean hasFew = answers.get(i).freshTo().equals(before.freshTo());
        if (!isRolled || hasFew || answers.get(i).period().from().isBefore(first)) {
          continue; // the last one starts with a late row that is not rolled up
        }
        compared++;
        String as = i + " " + request + " " + answers.get(i).period().source();
        assertThat(answers.get(i).freshTo()).as(as).isEqualTo(scan.freshTo());
        same(answers.get(i).period(), scan.period(), as);
        // A repeated query has a cached result, and a new one after the next roll.
        SeriesResult again = series(trailing, Accounting.SPREAD, FEW, request.withRolled(true));
        same(again.period(), scan.period(), as);
      }
      assertThat(compared).isGreaterThan(QUERIES / 3);
    }
  }
}
