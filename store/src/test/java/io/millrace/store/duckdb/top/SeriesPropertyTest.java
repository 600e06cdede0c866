package io.millrace.store.duckdb.top;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.store.Cancellation;
import io.millrace.store.Flows;
import io.millrace.store.SeriesRequest;
import io.millrace.store.SeriesRequest.Measure;
import io.millrace.store.SeriesResult;
import io.millrace.store.SeriesResult.Group;
import io.millrace.store.SeriesResult.Line;
import io.millrace.store.SeriesResult.Period;
import io.millrace.store.TopRequest;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.rollup.Grain;
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

/** Groups over time from rollups, from rows, and by a plain GROUP BY of the rows. */
class SeriesPropertyTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3_600 * SECOND;
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

  private static RolledFlows flows;
  private static RolledFlows dropping;

  @BeforeAll
  static void fill() throws SQLException {
    flows = new RolledFlows(2, 3_000, true, RollupConfig.DEFAULT);
    RollupConfig all = RollupConfig.DEFAULT;
    dropping =
        new RolledFlows(
            11,
            1_500,
            false,
            new RollupConfig(
                true,
                10,
                all.accounting(),
                all.sets(),
                all.longestFlow(),
                all.longestDelay(),
                all.retention()));
    dropping.rewind();
    dropping.append(300);
  }

  @AfterAll
  static void close() throws SQLException {
    flows.close();
    dropping.close();
  }

  private static SeriesResult series(
      RolledFlows from, Accounting accounting, long mostRows, SeriesRequest request) {
    return new SeriesQuery(
            from.queries, from.memory, from.views.get("flows"), Flows.SCHEMA, accounting, mostRows)
        .run(request, LIMIT, new Cancellation());
  }

  private static Instant at(long micros) {
    return Instant.EPOCH.plus(RolledFlows.START + micros, ChronoUnit.MICROS);
  }

  private static SeriesRequest random(Random random) {
    long from = random.nextLong(50 * HOUR);
    long to = from + SECOND + random.nextLong(20 * HOUR);
    boolean isLast = random.nextInt(4) == 0;
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
    if (step.toSeconds() < 60 && (isLast || to - from > 10 * HOUR)) {
      step = Duration.ofMinutes(5);
    }
    List<String> filters = List.of("dst_port < 100", "src_as > 5 or dst_as is null", "proto = 6");
    return new SeriesRequest(
        DIMENSIONS.get(random.nextInt(DIMENSIONS.size())),
        Measure.values()[random.nextInt(4)],
        isLast || random.nextInt(5) == 0 ? Optional.empty() : Optional.of(at(from)),
        isLast || random.nextInt(5) == 0 ? Optional.empty() : Optional.of(at(to)),
        isLast ? Optional.of(Duration.ofHours(1 + random.nextInt(40))) : Optional.empty(),
        random.nextInt(3) == 0 ? Optional.empty() : Optional.of(step),
        SeriesRequest.DEFAULT_POINTS,
        random.nextBoolean() ? 5 : 50,
        "flows",
        random.nextInt(3) == 0
            ? Optional.of(filters.get(random.nextInt(filters.size())))
            : Optional.empty(),
        random.nextBoolean(),
        random.nextBoolean(),
        false,
        false);
  }

  private static SeriesRequest scanned(SeriesRequest of) {
    return new SeriesRequest(
        of.dimensions(),
        of.measure(),
        of.from(),
        of.to(),
        of.last(),
        of.step(),
        SeriesRequest.DEFAULT_POINTS,
        of.n(),
        of.table(),
        of.filter(),
        of.previous(),
        of.reverse(),
        true,
        false);
  }

  private static void same(Line a, Line b, String as) {
    assertThat(a.rates()).as(as).containsExactly(b.rates(), within(1e-6));
    assertThat(a.total()).as(as).isEqualTo(b.total(), within(1e-6));
    assertThat(a.share()).as(as).isEqualTo(b.share(), within(1e-9));
    assertThat(a.average()).as(as).isEqualTo(b.average(), within(1e-6));
    assertThat(a.maximum()).as(as).isEqualTo(b.maximum(), within(1e-6));
    assertThat(a.p95()).as(as).isEqualTo(b.p95(), within(1e-6));
    assertThat(a.bound()).as(as).isEqualTo(b.bound());
  }

  private static void same(Period a, Period b, String as) {
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

  @Test
  void rollupsSayWhatRowsSay() {
    Random random = new Random(SEED);
    int rolled = 0;
    for (int i = 0; i < QUERIES; i++) {
      RolledFlows from = i % 3 == 0 ? dropping : flows;
      Accounting accounting = Accounting.values()[i % 2];
      SeriesRequest request = random(random);
      SeriesResult fast = series(from, accounting, Choice.MOST_ROWS, request);
      SeriesResult scan = series(from, accounting, Choice.MOST_ROWS, scanned(request));
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

  /** What was read before holds, but for the buckets that late rows and rewinds have changed. */
  @Test
  void lateRowsAndRewindsAreSeen() throws SQLException {
    try (RolledFlows changing = new RolledFlows(7, 1_500, true, RollupConfig.DEFAULT)) {
      for (int round = 0; round < ROUNDS; round++) {
        for (List<String> dimensions : List.of(List.of("as"), List.of("dst_port", "proto"))) {
          for (int n : new int[] {3, 8}) { // more groups than before in the same buckets
            SeriesRequest request =
                new SeriesRequest(
                    dimensions,
                    Measure.BITS,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(Duration.ofHours(1)),
                    SeriesRequest.DEFAULT_POINTS,
                    n,
                    "flows",
                    Optional.empty(),
                    false,
                    false,
                    false,
                    false);
            SeriesResult fast = series(changing, Accounting.SPREAD, Choice.MOST_ROWS, request);
            SeriesResult scan =
                series(changing, Accounting.SPREAD, Choice.MOST_ROWS, scanned(request));
            assertThat(fast.period().source()).startsWith("rollup");
            same(fast.period(), scan.period(), round + " " + request);
          }
        }
        if (round % 2 == 0) {
          changing.rewind();
        }
        changing.append(200);
      }
    }
  }

  @Test
  void rowsSayWhatGroupBySays() throws SQLException {
    Random random = new Random(9);
    for (int i = 0; i < 20; i++) {
      int seconds = List.of(60, 420, 3_600).get(random.nextInt(3));
      long from = random.nextLong(40 * HOUR);
      SeriesRequest request =
          new SeriesRequest(
              List.of("src_as"),
              Measure.values()[i % 3],
              Optional.of(at(from)),
              Optional.of(at(from + 5 * HOUR)),
              Optional.empty(),
              Optional.of(Duration.ofSeconds(seconds)),
              SeriesRequest.DEFAULT_POINTS,
              500,
              "flows",
              Optional.empty(),
              false,
              false,
              i % 2 == 0,
              false);
      Period period = series(flows, Accounting.ARRIVAL, Choice.MOST_ROWS, request).period();
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
  void whatBucketsHaveDroppedIsBounded() {
    Random random = new Random(3);
    int uncertain = 0;
    for (int i = 0; i < QUERIES; i++) {
      Accounting accounting = Accounting.values()[i % 2];
      SeriesRequest request = random(random);
      SeriesResult fast = series(dropping, accounting, 100, request);
      SeriesResult scan = series(dropping, accounting, 100, scanned(all(request)));
      String as = i + " " + accounting + " " + request + " " + fast.period().source();
      bounded(fast.period(), scan.period(), as);
      if (!fast.period().groups().isEmpty()) {
        uncertain += fast.period().bound() > 0 ? 1 : 0;
      }
      fast.previous().ifPresent(its -> bounded(its, scan.previous().orElseThrow(), as));
    }
    assertThat(uncertain).isGreaterThan(QUERIES / 8);
  }

  private static SeriesRequest all(SeriesRequest of) {
    return new SeriesRequest(
        of.dimensions(),
        of.measure(),
        of.from(),
        of.to(),
        of.last(),
        of.step(),
        SeriesRequest.DEFAULT_POINTS,
        250,
        of.table(),
        of.filter(),
        of.previous(),
        of.reverse(),
        true,
        false);
  }

  /** Nothing is more than it was, nor less by more than the bound. */
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

  @Test
  void sharesArePercentOfTheTotalOfTheirPoint() {
    SeriesRequest bits = SeriesRequest.of(Measure.BITS, "src_as");
    Period rates = series(flows, Accounting.SPREAD, Choice.MOST_ROWS, bits).period();
    Period shares =
        series(
                flows,
                Accounting.SPREAD,
                Choice.MOST_ROWS,
                SeriesRequest.of(Measure.SHARE, "src_as"))
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
  void anEstimateTakesThePlaceOfManyRows() {
    SeriesRequest request =
        new SeriesRequest(
            List.of("proto"),
            Measure.BITS,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(Duration.ofHours(1)),
            SeriesRequest.DEFAULT_POINTS,
            5,
            "flows",
            Optional.of("dst_port < 100 and src_as > 5"),
            false,
            false,
            false,
            true);
    Period exact = series(flows, Accounting.SPREAD, 100, scanned(request)).period();
    Period estimated = series(flows, Accounting.SPREAD, 100, request).period();
    assertThat(estimated.source()).contains("sample");
    assertThat(estimated.total().error()).isPositive().isLessThan(exact.total().total());
    assertThat(estimated.total().total())
        .isCloseTo(exact.total().total(), within(estimated.total().error()));
    Period few = series(flows, Accounting.SPREAD, Choice.MOST_ROWS, request).period();
    assertThat(few.source()).isEqualTo("rows");
    assertThat(few.total().total()).isEqualTo(exact.total().total());
  }

  /** What is noted of the rollups is read anew then, in between the groups and their sums. */
  @Test
  void answersWhileRowsAreRolledUp() throws SQLException {
    SeriesRequest request = SeriesRequest.of(Measure.BITS, "as");
    for (int i = 0; i < 3; i++) {
      dropping.append(10);
      assertThat(series(dropping, Accounting.SPREAD, 100, request).period().groups()).isNotEmpty();
    }
  }

  @Test
  void totalsAreThoseOfTop() {
    Random random = new Random(6);
    for (int i = 0; i < 30; i++) {
      long from = Grain.HOUR.bucket(random.nextLong(40 * HOUR));
      Measure measure = Measure.values()[i % 4];
      SeriesRequest request =
          new SeriesRequest(
              List.of("as"),
              measure,
              Optional.of(at(from)),
              Optional.of(at(from + 4 * HOUR)),
              Optional.empty(),
              Optional.of(Duration.ofMinutes(15)),
              SeriesRequest.DEFAULT_POINTS,
              8,
              "flows",
              Optional.empty(),
              false,
              false,
              false,
              false);
      Period period = series(flows, Accounting.SPREAD, Choice.MOST_ROWS, request).period();
      TopResult top =
          new TopQuery(
                  flows.queries,
                  flows.memory,
                  flows.views.get("flows"),
                  Flows.SCHEMA,
                  Accounting.SPREAD)
              .run(
                  new TopRequest(
                      List.of("as"),
                      measure.counted(),
                      Optional.of(period.from()),
                      Optional.of(period.to()),
                      Optional.empty(),
                      8,
                      "flows"),
                  LIMIT,
                  new Cancellation());
      int units = measure.counted() == TopRequest.Measure.BYTES ? 8 : 1;
      List<Double> volumes = new ArrayList<>();
      period.groups().forEach(group -> volumes.add(group.line().total() / units));
      assertThat(volumes).isEqualTo(top.rows().stream().map(TopResult.Row::volume).toList());
      assertThat(period.total().total() / units).isEqualTo(top.total());
    }
  }

  /** What A sends to B in one direction is what B gets from A in the other. */
  @Test
  void theOtherDirectionHasTheSidesExchanged() {
    SeriesRequest forward =
        new SeriesRequest(
            List.of("src_as", "dst_as"),
            Measure.BITS,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(Duration.ofHours(1)),
            SeriesRequest.DEFAULT_POINTS,
            20,
            "flows",
            Optional.of("src port 0 or in_if < 3"),
            false,
            true,
            false,
            false);
    SeriesRequest backward =
        new SeriesRequest(
            List.of("dst_as", "src_as"),
            Measure.BITS,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(Duration.ofHours(1)),
            SeriesRequest.DEFAULT_POINTS,
            500,
            "flows",
            Optional.of("dst port 0 or out_if < 3"),
            false,
            false,
            false,
            false);
    Period reverse =
        series(flows, Accounting.ARRIVAL, Choice.MOST_ROWS, forward).reverse().orElseThrow();
    Period expected = series(flows, Accounting.ARRIVAL, Choice.MOST_ROWS, backward).period();
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

  private static SeriesRequest tenToTwelve(int stepSeconds, boolean isScan) {
    return new SeriesRequest(
        List.of("dst_port"),
        Measure.PACKETS,
        Optional.of(at(10 * HOUR)),
        Optional.of(at(12 * HOUR)),
        Optional.empty(),
        Optional.of(Duration.ofSeconds(stepSeconds)),
        SeriesRequest.DEFAULT_POINTS,
        9,
        "flows",
        Optional.empty(),
        true,
        false,
        isScan,
        false);
  }

  @Test
  void whereRowsAreGonePointsAreAsLongAsBuckets() throws SQLException {
    try (RolledFlows gone = new RolledFlows(2, 3_000, true, RollupConfig.DEFAULT)) {
      gone.remove(RolledFlows.START + 40 * HOUR);
      SeriesResult old = series(gone, Accounting.SPREAD, Choice.MOST_ROWS, tenToTwelve(10, false));
      SeriesResult all = series(flows, Accounting.SPREAD, Choice.MOST_ROWS, tenToTwelve(60, true));
      assertThat(old.step()).isEqualTo(Duration.ofMinutes(1));
      same(old.period(), all.period(), old.period().source());
      same(old.previous().orElseThrow(), all.previous().orElseThrow(), "previous");
    }
  }

  @Test
  void nothingIsKnownBeforeTheFirstRow() {
    SeriesRequest request =
        new SeriesRequest(
            List.of("src_as"),
            Measure.BITS,
            Optional.of(at(-100 * HOUR)),
            Optional.of(at(30 * HOUR)),
            Optional.empty(),
            Optional.of(Duration.ofHours(1)),
            SeriesRequest.DEFAULT_POINTS,
            3,
            "flows",
            Optional.empty(),
            true,
            false,
            false,
            false);
    SeriesResult result = series(flows, Accounting.ARRIVAL, Choice.MOST_ROWS, request);
    assertThat(result.period().from()).isAfter(at(-6 * HOUR));
    assertThat(result.period().total().rates()).doesNotContain(Double.NaN);
    double[] before = result.previous().orElseThrow().total().rates();
    assertThat(before).hasSameSizeAs(result.period().total().rates()).containsOnly(Double.NaN);
  }
}
