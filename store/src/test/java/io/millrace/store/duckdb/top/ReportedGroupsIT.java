package io.millrace.store.duckdb.top;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.store.Boundaries;
import io.millrace.store.Cancellation;
import io.millrace.store.DeviceNames;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.SeriesResult;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.Macros;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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

/** Groups by names that devices report, from rollups and from rows. */
class ReportedGroupsIT {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final long SECOND = 1_000_000;
  private static final String NAMES = Catalog.raw(Catalog.resultsName(DeviceNames.TABLE.name()));

  private static RolledFlows flows;

  /** Two exporters with four interfaces, some with equal names, some without. */
  @BeforeAll
  static void fill() throws SQLException {
    flows = new RolledFlows(5, 3_000, true, RollupConfig.DEFAULT);
    Map<String, List<String>> patterns =
        Map.of("external", List.of("transit%", "%peer%"), "internal", List.of("core_"));
    for (String macro : Macros.create(new Boundaries(patterns))) {
      flows.execute(macro);
    }
    told(0, 0, "'eth0'", "'Transit: one'");
    told(0, 1, "'core1'", "NULL");
    told(0, 2, "'eth2'", "'to a peer'");
    told(1, 0, "'eth0'", "'TRANSIT: two'");
    told(1, 1, "NULL", "'spare'");
  }

  @AfterAll
  static void close() throws SQLException {
    flows.close();
  }

  private static void told(int exporter, int number, String name, String description)
      throws SQLException {
    flows.execute(
        "INSERT INTO %s(time, exporter, kind, number, name, description, speed) VALUES (now()::TIMESTAMP, %d, 'interface', %3$d, %4$s, %5$s, NULL), (now()::TIMESTAMP, %2$d, 'speed', %3$d, NULL, NULL, %6$d)"
            .formatted(
                NAMES, exporter, number, name, description, 1_000_000_000L * (1 + number % 2)));
  }

  private static TopResult top(Accounting accounting, FlowQuery request) {
    return new TopQuery(flows.source(accounting)).run(request, LIMIT, new Cancellation());
  }

  private static SeriesResult series(FlowQuery request) {
    return new SeriesQuery(flows.source(Accounting.SPREAD)).run(request, LIMIT, new Cancellation());
  }

  private static FlowQuery hours(String dimension, String filter, boolean scan) {
    return FlowQuery.series(FlowQuery.Measure.BITS, dimension)
        .with(
            request ->
                request
                    .step(Optional.of(Duration.ofHours(1)))
                    .n(20)
                    .filter(Optional.ofNullable(filter))
                    .reverse(true)
                    .scan(scan));
  }

  /** Volume by the text of a group; {@code null} for none. */
  private static Map<String, Double> volumes(TopResult result) {
    Map<String, Double> volumes = new HashMap<>();
    for (TopResult.Row row : result.rows()) {
      assertThat(volumes.put(String.valueOf(row.values().get(0)), row.volume())).isNull();
    }
    return volumes;
  }

  @Test
  void equalTextsAreOneGroup() throws SQLException {
    Map<String, String> told =
        Map.of(
            "in_if_name",
            "max(d.name)",
            "in_if_boundary",
            "CASE WHEN max(d.description) ILIKE '%transit%' OR max(d.description) ILIKE '%peer%'"
                + " THEN 'external' WHEN max(d.name) LIKE 'core%' THEN 'internal' END",
            "in_if_mbit_s",
            "max(d.speed) // 1000000");
    for (Map.Entry<String, String> column : told.entrySet()) {
      Map<String, Double> expected = new HashMap<>();
      try (Statement statement = flows.root.createStatement();
          ResultSet rows =
              statement.executeQuery(
                  "SELECT coalesce(v::VARCHAR, 'null'), sum(bytes * coalesce(sampling_rate, 1))::DOUBLE FROM %s f LEFT JOIN (SELECT exporter, number, %s AS v FROM %s d GROUP BY ALL) d ON d.exporter = f.exporter AND d.number = f.in_if GROUP BY 1"
                      .formatted(Catalog.rows("flows"), column.getValue(), NAMES))) {
        while (rows.next()) {
          expected.put(rows.getString(1), rows.getDouble(2));
        }
      }
      assertThat(expected).hasSizeGreaterThan(2);
      TopResult result = top(Accounting.ARRIVAL, FlowQuery.top(100, Measure.BITS, column.getKey()));
      assertThat(volumes(result)).as(column.getKey()).isEqualTo(expected);
      assertThat(result.source()).startsWith("rollup interface");
    }
  }

  @Test
  void rollupsEqualRows() {
    Random random = new Random(8);
    List<List<String>> dimensions =
        List.of(
            List.of("in_if_boundary"),
            List.of("in_if_name", "out_if_name"),
            List.of("out_if_boundary", "in_if_mbit_s"),
            List.of("exporter", "in_if_description"),
            List.of("in_if_boundary", "out_if"));
    for (int i = 0; i < 20; i++) {
      long from = RolledFlows.START / SECOND + random.nextLong(40 * 3_600);
      FlowQuery request =
          FlowQuery.top(
                  dimensions.get(i % dimensions.size()),
                  Measure.BITS,
                  Optional.of(Instant.ofEpochSecond(from)),
                  Optional.of(Instant.ofEpochSecond(from + 3_600 + random.nextLong(12 * 3_600))),
                  Optional.empty(),
                  10,
                  "flows")
              .withP95(random.nextInt(3) == 0);
      Accounting accounting = Accounting.values()[i % 2];
      TopResult rolled = top(accounting, request);
      TopResult scanned = top(accounting, request.withScan(true));
      assertThat(scanned.source()).isEqualTo("rows");
      assertThat(rolled.rows()).as("%s %s", request, rolled.source()).isEqualTo(scanned.rows());
      assertThat(rolled.total()).isEqualTo(scanned.total());
    }
  }

  /** Cached sums of buckets do not have the names reported before. */
  @Test
  void aNewNameAppliesAtOnceOverTime() throws SQLException {
    for (String description : List.of("Transit: three", "core switch")) {
      try (Statement statement = flows.root.createStatement()) {
        statement.execute(
            "UPDATE %s SET description = '%s' WHERE exporter = 1 AND number = 1 AND kind = 'interface'"
                .formatted(NAMES, description));
      }
      for (String filter : new String[] {null, "in_if_boundary = 'external'"}) {
        String dimension = filter == null ? "in_if_boundary" : "src_as";
        SeriesResult rolled = series(hours(dimension, filter, false));
        SeriesResult scanned = series(hours(dimension, filter, true));
        if (filter == null) {
          assertThat(rolled.period().source()).startsWith("rollup interface");
        }
        same(rolled.period(), scanned.period());
        same(rolled.reverse().orElseThrow(), scanned.reverse().orElseThrow());
      }
    }
  }

  private static void same(SeriesResult.Period a, SeriesResult.Period b) {
    assertThat(a.groups())
        .extracting(SeriesResult.Group::label)
        .isEqualTo(b.groups().stream().map(SeriesResult.Group::label).toList());
    assertThat(a.groups()).isNotEmpty();
    for (int i = 0; i < a.groups().size(); i++) {
      assertThat(a.groups().get(i).line().rates())
          .containsExactly(b.groups().get(i).line().rates(), within(1e-6));
    }
    assertThat(a.total().total()).isEqualTo(b.total().total(), within(1e-6));
  }
}
