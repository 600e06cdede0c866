package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.Cancellation;
import io.millrace.store.Flows;
import io.millrace.store.TopRequest;
import io.millrace.store.TopRequest.Measure;
import io.millrace.store.TopResult;
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
class TopRollupTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final long SECOND = 1_000_000;
  private static RolledFlows flows;
  private static RolledFlows keptFlows;
  private static RolledFlows prunedFlows;

  @BeforeAll
  static void fill() throws SQLException {
    flows = new RolledFlows(1, 3_000, true);
    keptFlows = new RolledFlows(2, 3_000, true, RollupConfig.DEFAULT);
    prunedFlows = new RolledFlows(3, 3_000, false, keeping(10));
  }

  private static RollupConfig keeping(int groups) {
    RollupConfig all = RollupConfig.DEFAULT;
    return new RollupConfig(
        true,
        groups,
        all.accounting(),
        all.sets(),
        all.longestFlow(),
        all.longestDelay(),
        all.retention());
  }

  @AfterAll
  static void close() throws SQLException {
    flows.close();
    keptFlows.close();
    prunedFlows.close();
  }

  private static TopQuery top(RolledFlows from, Accounting accounting) {
    return new TopQuery(from.queries, from.views.get("flows"), Flows.SCHEMA, accounting);
  }

  private static Instant at(long micros) {
    return Instant.ofEpochSecond(0, (RolledFlows.START + micros) * 1_000);
  }

  private static void answersTheSame(TopQuery top, TopRequest request) {
    TopResult rolled = top.run(request, LIMIT, new Cancellation());
    TopResult scanned = top.run(request.withScan(true), LIMIT, new Cancellation());
    assertThat(scanned.source()).isEqualTo("rows");
    assertThat(rolled.rows())
        .as("%s %s", request, rolled.source())
        .containsExactlyElementsOf(scanned.rows());
    assertThat(rolled.total()).isEqualTo(scanned.total());
    assertThat(rolled.estimated()).isEqualTo(scanned.estimated());
    assertThat(rolled.columns()).isEqualTo(scanned.columns());
  }

  @Test
  void answersTheSameFromRollupsAsFromRows() {
    answersTheSame(top(flows, Accounting.ARRIVAL), 2);
  }

  @Test
  void answersTheSameFromWhatTheStoreKeeps() {
    answersTheSame(top(keptFlows, Accounting.ARRIVAL), 3);
    answersTheSame(top(keptFlows, Accounting.SPREAD), 4);
  }

  private static void answersTheSame(TopQuery top, long seed) {
    Random random = new Random(seed);
    List<String> dimensions =
        List.of("as", "src_as", "dst_as", "src_addr", "dst_port", "proto", "in_if");
    for (int i = 0; i < 30; i++) {
      long from = random.nextLong(54 * 3_600 * SECOND);
      long to = from + random.nextLong(20 * 3_600 * SECOND);
      answersTheSame(
          top,
          new TopRequest(
                  List.of(dimensions.get(random.nextInt(dimensions.size()))),
                  random.nextBoolean() ? Measure.BYTES : Measure.PACKETS,
                  random.nextInt(4) == 0 ? Optional.empty() : Optional.of(at(from)),
                  random.nextInt(4) == 0 ? Optional.empty() : Optional.of(at(to)),
                  Optional.empty(),
                  random.nextBoolean() ? 10_000 : 5,
                  "flows")
              .withP95(random.nextInt(3) == 0));
    }
  }

  @Test
  void timesFarBeyondTheRowsMeanAllOfThem() {
    for (TopQuery top :
        List.of(top(keptFlows, Accounting.ARRIVAL), top(keptFlows, Accounting.SPREAD))) {
      for (boolean p95 : new boolean[] {false, true}) {
        TopRequest all = TopRequest.of(10_000, Measure.BYTES, "src_as").withP95(p95);
        List<TopResult.Row> expected = top.run(all, LIMIT, new Cancellation()).rows();
        assertThat(expected).isNotEmpty();
        for (TopRequest request :
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

  private static TopRequest window(Optional<Instant> from, Optional<Instant> to) {
    return new TopRequest(
        List.of("src_as"), Measure.BYTES, from, to, Optional.empty(), 10_000, "flows");
  }

  private static TopRequest last(Duration last) {
    return new TopRequest(
        List.of("src_as"),
        Measure.BYTES,
        Optional.empty(),
        Optional.empty(),
        Optional.of(last),
        10_000,
        "flows");
  }

  /** Windows within the rows that lie this far from a whole 5 minutes, and how many they hold. */
  @Test
  void percentilesAreOfWholeFiveMinutesAlone() {
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
      TopRequest request =
          new TopRequest(
              List.of("src_as"),
              Measure.BYTES,
              Optional.of(at(begin + window[0] * SECOND)),
              Optional.of(at(begin + window[1] * SECOND)),
              Optional.empty(),
              10,
              "flows");
      for (boolean scan : new boolean[] {false, true}) {
        TopRequest ranked = request.withScan(scan).withP95(true);
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
  void filtersByWhatTheSetHas() {
    TopQuery top = top(keptFlows, Accounting.ARRIVAL);
    String own = "src_as > 64500 OR dst_as IS NULL";
    TopRequest request = TopRequest.of(10_000, Measure.BYTES, "src_as");
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
    TopRequest request = TopRequest.of(10_000, Measure.BYTES, "src_as");
    String time = "time >= '" + at(3_600 * SECOND + 7) + "'";
    answersTheSame(top, request.withFilter(time));
  }

  @Test
  void saysWhatItWasMadeOf() {
    TopQuery top = top(flows, Accounting.ARRIVAL);
    TopRequest request = TopRequest.of(3, Measure.BYTES, "as");
    assertThat(top.run(request, LIMIT, new Cancellation()).source())
        .startsWith("rollup as: ")
        .contains(" hours, ");
    assertThat(top.run(TopRequest.of(3, Measure.BYTES, "tos"), LIMIT, new Cancellation()).source())
        .isEqualTo("rows");
  }

  @Test
  void boundsWhatBucketsHaveDropped() {
    for (Accounting accounting : Accounting.values()) {
      TopQuery top = top(prunedFlows, accounting);
      for (String dimension : List.of("src_addr", "src_as", "dst_port", "as")) {
        TopRequest request = TopRequest.of(10_000, Measure.BYTES, dimension);
        TopResult rolled = top.run(request, LIMIT, new Cancellation());
        TopResult exact = top.run(request.withScan(true), LIMIT, new Cancellation());
        assertThat(rolled.total()).isEqualTo(exact.total());
        Map<List<String>, TopResult.Row> rows = new HashMap<>();
        exact.rows().forEach(row -> rows.put(row.values(), row));
        for (TopResult.Row row : rolled.rows()) {
          double volume = rows.get(row.values()).volume();
          assertThat(row.volume()).isLessThanOrEqualTo(volume);
          assertThat(row.volume() + row.bound()).isGreaterThanOrEqualTo(volume);
        }
        double listed = rolled.rows().stream().mapToDouble(TopResult.Row::volume).sum();
        assertThat(rolled.others()).isPositive().isEqualTo(rolled.total() - listed);
        assertThat(exact.others()).isZero();
        assertThat(rolled.rows()).anyMatch(row -> row.bound() > 0);
      }
    }
  }
}
