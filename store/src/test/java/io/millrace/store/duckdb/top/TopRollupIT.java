package io.millrace.store.duckdb.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The largest groups from rollups and from rows. */
class TopRollupIT {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final long SECOND = 1_000_000;

  /** The queries of the default run are a part of those of the long one. */
  private static final int FACTOR = Boolean.getBoolean("millrace.long") ? 3 : 1;

  private static RolledFlows flows;
  private static RolledFlows keptFlows;
  private static List<RolledFlows> dropping;

  @BeforeAll
  static void fill() throws SQLException {
    flows = new RolledFlows(1, 3_000, true);
    keptFlows = new RolledFlows(2, 3_000, true, RollupConfig.DEFAULT);
    dropping = List.of(dropping(0), dropping(1));
  }

  private static RollupConfig keeping(int groups) {
    return RollupConfig.DEFAULT.withKeep(groups);
  }

  @AfterAll
  static void close() throws SQLException {
    flows.close();
    keptFlows.close();
    for (RolledFlows each : dropping) {
      each.close();
    }
  }

  private static TopQuery top(RolledFlows from, Accounting accounting) {
    return new TopQuery(from.source(accounting));
  }

  private static Instant at(long micros) {
    return Instant.ofEpochSecond(0, (RolledFlows.START + micros) * 1_000);
  }

  private static void answersTheSame(TopQuery top, FlowQuery request) {
    TopResult rolled = top.run(request, LIMIT, new Cancellation());
    TopResult scanned = top.run(request.withScan(true), LIMIT, new Cancellation());
    assertThat(scanned.source()).isEqualTo("rows");
    assertThat(rolled.rows())
        .as("%s %s", request, rolled.source())
        .containsExactlyElementsOf(scanned.rows());
    assertThat(rolled.rows()).allSatisfy(row -> assertThat(row.bound()).isZero());
    assertThat(rolled.others()).isZero();
    assertThat(scanned.others()).isZero();
    assertThat(rolled.total()).isEqualTo(scanned.total());
    assertThat(rolled.estimated()).isEqualTo(scanned.estimated());
    assertThat(rolled.columns()).isEqualTo(scanned.columns());
  }

  @Test
  void rollupsHaveTheSameResultsAsRows() {
    answersTheSame(top(flows, Accounting.ARRIVAL), 2);
  }

  @Test
  void rollupsOfTheStoreHaveTheSameResultsAsRows() {
    answersTheSame(top(keptFlows, Accounting.ARRIVAL), 3);
    answersTheSame(top(keptFlows, Accounting.SPREAD), 4);
  }

  private static void answersTheSame(TopQuery top, long seed) {
    Random random = new Random(seed);
    List<String> dimensions =
        List.of("as", "src_as", "dst_as", "src_addr", "dst_port", "proto", "in_if");
    for (int i = 0; i < 12 * FACTOR; i++) {
      long from = random.nextLong(54 * 3_600 * SECOND);
      long to = from + random.nextLong(20 * 3_600 * SECOND);
      answersTheSame(
          top,
          FlowQuery.top(
                  List.of(dimensions.get(random.nextInt(dimensions.size()))),
                  random.nextBoolean() ? Measure.BITS : Measure.PACKETS,
                  random.nextInt(4) == 0 ? Optional.empty() : Optional.of(at(from)),
                  random.nextInt(4) == 0 ? Optional.empty() : Optional.of(at(to)),
                  Optional.empty(),
                  random.nextBoolean() ? 10_000 : 5,
                  "flows")
              .withP95(random.nextInt(3) == 0));
    }
  }

  @Test
  void timesFarOutsideOfTheRowsIncludeAllOfThem() {
    for (TopQuery top :
        List.of(top(keptFlows, Accounting.ARRIVAL), top(keptFlows, Accounting.SPREAD))) {
      for (boolean p95 : new boolean[] {false, true}) {
        FlowQuery all = FlowQuery.top(10_000, Measure.BITS, "src_as").withP95(p95);
        List<TopResult.Row> expected = top.run(all, LIMIT, new Cancellation()).rows();
        assertThat(expected).isNotEmpty();
        for (FlowQuery request :
            List.of(
                window(Optional.empty(), Optional.of(Instant.parse("9999-01-01T00:00:00Z"))),
                window(Optional.of(Instant.parse("0001-01-01T00:00:00Z")), Optional.empty()),
                window(Optional.of(Instant.MIN), Optional.of(Instant.MAX)),
                last(Duration.ofDays(999_999)),
                last(Duration.ofDays(999_999_999)),
                last(Duration.ofSeconds(Long.MAX_VALUE)))) {
          TopResult result = top.run(request.withP95(p95), LIMIT, new Cancellation());
          assertThat(result.rows())
              .as("%s %s", request, result)
              .containsExactlyElementsOf(expected);
          TopResult scanned =
              top.run(request.withP95(p95).withScan(true), LIMIT, new Cancellation());
          assertThat(scanned.rows()).containsExactlyElementsOf(expected);
        }
      }
    }
  }

  private static FlowQuery window(Optional<Instant> from, Optional<Instant> to) {
    return FlowQuery.top(
        List.of("src_as"), Measure.BITS, from, to, Optional.empty(), 10_000, "flows");
  }

  private static FlowQuery last(Duration last) {
    return FlowQuery.top(
        List.of("src_as"),
        Measure.BITS,
        Optional.empty(),
        Optional.empty(),
        Optional.of(last),
        10_000,
        "flows");
  }

  /** Time ranges that end this far from a whole 5 minutes, and the number of whole ones in them. */
  @Test
  void percentilesUseOnlyWholeFiveMinutes() {
    TopQuery top = top(keptFlows, Accounting.ARRIVAL);
    long begin = 40 * 3_600 * SECOND;
    for (long[] window :
        new long[][] {
          {0, 299, 0},
          {0, 300, 1},
          {1, 599, 0},
          {1, 600, 1},
          {1, 601, 1},
          {299, 301, 0},
          {-1, 901, 3}
        }) {
      FlowQuery request =
          FlowQuery.top(
              List.of("src_as"),
              Measure.BITS,
              Optional.of(at(begin + window[0] * SECOND)),
              Optional.of(at(begin + window[1] * SECOND)),
              Optional.empty(),
              10,
              "flows");
      for (boolean scan : new boolean[] {false, true}) {
        FlowQuery ranked = request.withScan(scan).withP95(true);
        TopResult result = top.run(ranked, LIMIT, new Cancellation());
        assertThat(result.fives()).as("%s", ranked).isEqualTo((int) window[2]);
        if (window[2] == 0) {
          TopResult volumes = top.run(request.withScan(scan), LIMIT, new Cancellation());
          assertThat(result.rows()).isEqualTo(volumes.rows());
          assertThat(result.from()).isEqualTo(volumes.from());
        } else {
          assertThat(result.from()).isEqualTo(at(begin + (window[0] > 0 ? 300 : 0) * SECOND));
          assertThat(result.rows()).isNotEmpty();
        }
        if (window[2] == 1) { // then it is the only rate there is
          assertThat(result.rows())
              .allSatisfy(row -> assertThat(row.p95()).isEqualTo(row.volume() * 8 / 300));
        }
      }
    }
  }

  @Test
  void filtersByColumnsOfTheSet() {
    TopQuery top = top(keptFlows, Accounting.ARRIVAL);
    String own = "src_as > 64500 OR dst_as IS NULL";
    FlowQuery request = FlowQuery.top(10_000, Measure.BITS, "src_as");
    answersTheSame(top, request.withFilter(own));
    answersTheSame(top, request.withFilter("dst_port < 1000").withP95(true));
    assertThat(top.run(request.withFilter(own), LIMIT, new Cancellation()).source())
        .startsWith("rollup as: ");
    assertThat(top.run(request.withFilter("tos = 0"), LIMIT, new Cancellation()).source())
        .isEqualTo("rows");
  }

  @Test
  void filtersByTimeToo() {
    TopQuery top = top(keptFlows, Accounting.ARRIVAL);
    FlowQuery request = FlowQuery.top(10_000, Measure.BITS, "src_as");
    String time = "time >= '" + at(3_600 * SECOND + 7) + "'";
    answersTheSame(top, request.withFilter(time));
  }

  @Test
  void reportsItsSources() {
    TopQuery top = top(flows, Accounting.ARRIVAL);
    FlowQuery request = FlowQuery.top(3, Measure.BITS, "as");
    assertThat(top.run(request, LIMIT, new Cancellation()).source())
        .startsWith("rollup as: ")
        .contains(" hours, ");
    assertThat(top.run(FlowQuery.top(3, Measure.BITS, "tos"), LIMIT, new Cancellation()).source())
        .isEqualTo("rows");
  }

  /** Stores whose buckets dropped groups, some with late rows. */
  private static RolledFlows dropping(int store) throws SQLException {
    RolledFlows made = new RolledFlows(10 + store, 1_500, store == 0, keeping(10));
    for (int i = 0; i < store; i++) {
      made.append(300);
    }
    return made;
  }

  private static FlowQuery random(Random random) {
    long from = random.nextLong(54 * 3_600 * SECOND);
    long to = from + random.nextLong(30 * 3_600 * SECOND);
    String dimension =
        List.of("src_addr", "dst_addr", "src_as", "as", "dst_port", "in_if").get(random.nextInt(6));
    return FlowQuery.top(
            List.of(dimension),
            random.nextBoolean() ? Measure.BITS : Measure.PACKETS,
            random.nextInt(4) == 0 ? Optional.empty() : Optional.of(at(from)),
            random.nextInt(4) == 0 ? Optional.empty() : Optional.of(at(to)),
            Optional.empty(),
            10_000,
            "flows")
        .withP95(random.nextInt(4) == 0);
  }

  @Test
  void nothingIsUncertainWhileRowsExist() throws SQLException {
    Random random = new Random(21);
    int rows = 0;
    for (RolledFlows there : dropping) {
      for (int i = 0; i < 20 * FACTOR; i++) {
        TopQuery top = top(there, Accounting.values()[i % 2]);
        FlowQuery request = random(random);
        if (random.nextInt(4) == 0 && request.dimensions().contains("src_as")) {
          request = request.withFilter("dst_as = 1");
        }
        answersTheSame(top, request);
        TopResult result = top.run(request, LIMIT, new Cancellation());
        rows += result.source().equals("rows") ? 1 : 0;
      }
    }
    assertThat(rows).isGreaterThan(20);
  }

  @Test
  void bucketsWithDroppedGroupsBoundTheCandidates() throws SQLException {
    Random random = new Random(24);
    try (RolledFlows there = new RolledFlows(31, 3_000, true, keeping(100))) {
      for (int i = 0; i < 20 * FACTOR; i++) {
        TopQuery top = top(there, Accounting.values()[i % 2]).choosingBeyond(0);
        FlowQuery request =
            FlowQuery.top(
                1 + random.nextInt(8),
                random.nextBoolean() ? Measure.BITS : Measure.PACKETS,
                random.nextBoolean() ? "src_addr" : "dst_addr");
        answersTheSame(top, request);
      }
    }
  }

  @Test
  void boundsDroppedGroupsIfThereAreTooManyRows() {
    Random random = new Random(23);
    int uncertain = 0;
    for (RolledFlows there : dropping) {
      TopQuery top = new TopQuery(there.source(Accounting.SPREAD).reading(100));
      for (int i = 0; i < 20; i++) {
        FlowQuery request = random(random).withP95(false);
        TopResult rolled = top.run(request, LIMIT, new Cancellation());
        TopResult all = top.run(request.withScan(true), LIMIT, new Cancellation());
        bounds(rolled, all, request + " " + rolled.source());
        uncertain += rolled.others() > 0 ? 1 : 0;
      }
    }
    assertThat(uncertain).isGreaterThan(20);
  }

  /** It is unknown whether dropped groups match. */
  @Test
  void boundsTheVolumeMissingInAFilteredTotal() {
    Random random = new Random(24);
    int lacking = 0;
    for (RolledFlows there : dropping) {
      TopQuery top = new TopQuery(there.source(Accounting.SPREAD).reading(100));
      for (int i = 0; i < 20; i++) {
        FlowQuery asked = random(random).withP95(false);
        FlowQuery request = asked.withFilter(asked.dimensions().get(0) + " is not null");
        TopResult rolled = top.run(request, LIMIT, new Cancellation());
        TopResult all = top.run(request.withScan(true), LIMIT, new Cancellation());
        assertThat(all.bound()).isZero();
        FlowQuery none = asked.withFilter(asked.dimensions().get(0) + " is null");
        assertThat(top.run(none, LIMIT, new Cancellation()).bound()).isEqualTo(rolled.bound());
        assertThat(rolled.others()).as("%s", request).isZero();
        assertThat(rolled.total()).as("%s", request).isLessThanOrEqualTo(all.total());
        assertThat(rolled.total() + rolled.bound())
            .as("%s", request)
            .isGreaterThanOrEqualTo(all.total());
        lacking += rolled.total() < all.total() ? 1 : 0;
      }
    }
    assertThat(lacking).isGreaterThan(20);
  }

  @Test
  void boundsDroppedGroupsAfterRowsAreRemoved() throws SQLException {
    Random random = new Random(22);
    int uncertain = 0;
    int exact = 0;
    int first = FACTOR > 1 ? 0 : 1; // creating one takes longer than all its queries
    for (int store = first; store < dropping.size(); store++) {
      RolledFlows there = dropping.get(store);
      try (RolledFlows gone = dropping(store)) {
        long before = RolledFlows.START + (20 + random.nextInt(30)) * 3_600L * SECOND;
        gone.remove(before);
        for (int i = 0; i < 40; i++) {
          Accounting accounting = Accounting.values()[i % 2];
          FlowQuery request = random(random).withP95(false);
          TopResult rolled = top(gone, accounting).run(request, LIMIT, new Cancellation());
          TopResult all =
              top(there, accounting).run(covered(rolled, request), LIMIT, new Cancellation());
          bounds(rolled, all, request + " " + rolled.source());
          boolean isExact =
              rolled.others() == 0 && rolled.rows().stream().allMatch(row -> row.bound() == 0);
          uncertain += isExact ? 0 : 1;
          exact += isExact ? 1 : 0;
          if (request.from().isPresent()
              && !request.from().get().isBefore(at(before - RolledFlows.START))) {
            assertThat(isExact).as("%s", request).isTrue();
          }
        }
      }
    }
    int asked = 40 * (dropping.size() - first);
    assertThat(uncertain).isGreaterThan(asked / 4);
    assertThat(exact).isGreaterThan(asked / 4);
  }

  /** The query for the rows of the time that a result covers. */
  private static FlowQuery covered(TopResult answer, FlowQuery request) {
    return FlowQuery.top(
            request.dimensions(),
            request.measure(),
            request.from().map(any -> answer.from()), // flows count before the first arrival too
            Optional.of(answer.to()),
            Optional.empty(),
            10_000,
            "flows")
        .withScan(true);
  }

  /** No value is greater than the exact one, or less by more than the bound. */
  private static void bounds(TopResult rolled, TopResult all, String as) {
    Map<List<String>, TopResult.Row> missing = new HashMap<>();
    all.rows().forEach(row -> missing.put(row.values(), row));
    assertThat(all.others()).isZero();
    assertThat(rolled.total()).as(as).isEqualTo(all.total());
    double listed = 0;
    for (TopResult.Row row : rolled.rows()) {
      double volume = missing.remove(row.values()).volume();
      assertThat(row.volume()).as("%s %s", row, as).isLessThanOrEqualTo(volume);
      assertThat(row.volume() + row.bound()).as("%s %s", row, as).isGreaterThanOrEqualTo(volume);
      listed += row.volume();
    }
    assertThat(rolled.others()).as(as).isEqualTo(rolled.total() - listed);
    assertThat(missing.values())
        .as(as)
        .allSatisfy(row -> assertThat(row.volume()).isLessThanOrEqualTo(rolled.others()));
  }
}
