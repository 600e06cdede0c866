package io.millrace.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.testing.Await;
import io.millrace.testing.GrafanaSql;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The dashboards and alerts of {@code deploy} against an instance: each panel of SQL over Flight
 * SQL, in types that Grafana's plugin knows, and each name and label of PromQL in {@code /metrics}.
 */
class MonitoringIT {
  private static final Pattern SHOWN =
      Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?(\\w+)\\s*\\}\\}");
  private static final Pattern TESTED_SERIES = Pattern.compile("series: '([^']*)'");

  @TempDir static Path directory;
  private static MonitoredInstance instance;
  private static String exporters;

  @BeforeAll
  static void start() throws Exception {
    instance = MonitoredInstance.start(directory);
    instance.sendFlows();
    assertThat(instance.millrace().awaitDrained(Duration.ofMinutes(1))).isTrue();
    Await.until("exporters in SQL", () -> !texts(Dashboards.exporterVariable()).isEmpty());
    exporters =
        texts(Dashboards.exporterVariable()).stream()
            .map(exporter -> "'" + exporter + "'")
            .collect(Collectors.joining(","));
    Await.until(
        "metrics that are known a while after the start",
        () ->
            Stream.of(
                    "millrace_subtask_busy_ratio",
                    "millrace_host_cpu_ratio",
                    "millrace_pipeline_lag_values")
                .allMatch(exposed()::has));
  }

  @AfterAll
  static void stop() {
    if (instance != null) {
      instance.close();
    }
  }

  private static FlightSqlClient client(RootAllocator memory) {
    int port = URI.create(instance.millrace().flightUrl().orElseThrow()).getPort();
    return new FlightSqlClient(
        FlightClient.builder(memory, Location.forGrpcInsecure("127.0.0.1", port)).build());
  }

  /** Rows as texts, the values separated by |. */
  private static List<String> texts(String sql) throws Exception {
    List<String> texts = new ArrayList<>();
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = client(memory);
        FlightStream stream =
            client.getStream(client.execute(sql).getEndpoints().get(0).getTicket())) {
      while (stream.next()) {
        for (int i = 0; i < stream.getRoot().getRowCount(); i++) {
          int row = i;
          texts.add(
              stream.getRoot().getFieldVectors().stream()
                  .map(column -> String.valueOf(column.getObject(row)))
                  .collect(Collectors.joining("|")));
        }
      }
    }
    return texts;
  }

  /** The last hour, up to a time that the rows have passed when the query runs. */
  private static String expanded(Dashboards.Query query) {
    Instant now = Instant.now();
    return GrafanaSql.expanded(
        query.text(), now.minusSeconds(3_600), now.plusSeconds(60), exporters);
  }

  static Stream<Dashboards.Query> sql() {
    return Dashboards.sql().stream();
  }

  @ParameterizedTest
  @MethodSource("sql")
  void panelsOfSqlHaveRowsInTypesThatThePluginKnows(Dashboards.Query query) throws Exception {
    String sql = expanded(query);
    assertThat(sql).doesNotContain("$");
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = client(memory)) {
      FlightInfo info = client.execute(sql);
      for (Field column : info.getSchemaOptional().orElseThrow().getFields()) {
        assertThat(isKnown(column.getType())).as("%s of %s", column, sql).isTrue();
      }
      int rows = 0;
      List<LocalDateTime> times = new ArrayList<>();
      try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
        while (stream.next()) {
          FieldVector time = stream.getRoot().getVector("time");
          for (int i = 0; time != null && i < stream.getRoot().getRowCount(); i++) {
            times.add((LocalDateTime) time.getObject(i));
          }
          rows += stream.getRoot().getRowCount();
        }
      }
      assertThat(rows).as(sql).isPositive();
      assertThat(times)
          .hasSize(query.format().equals("time_series") ? rows : 0)
          .allSatisfy(time -> assertThat(time.getSecond()).isZero())
          .isSortedAccordingTo(Comparator.naturalOrder());
    }
  }

  /** It reads every timestamp as nanoseconds, and shows no decimals and lists. */
  private static boolean isKnown(ArrowType type) {
    return type instanceof ArrowType.Utf8
        || type instanceof ArrowType.Bool
        || type instanceof ArrowType.FloatingPoint
        || type instanceof ArrowType.Int
        || (type instanceof ArrowType.Timestamp moment && moment.getUnit() == TimeUnit.NANOSECOND);
  }

  /** What the plugin's editor writes for a grid of time. */
  @Test
  void knowsTheGridOfThePluginsEditor() throws Exception {
    assertThat(
            texts(
                "SELECT date_bin(interval '2 second', timestamp '2023-11-14 22:13:29',"
                    + " timestamp '1970-01-01T00:00:00Z') AS time"))
        .containsExactly("2023-11-14T22:13:28");
  }

  private static ExposedMetrics exposed() throws Exception {
    return new ExposedMetrics(instance.get("/metrics"));
  }

  /** Every expression, with where it is used. */
  private static Map<String, String> expressions() throws Exception {
    Map<String, String> expressions = new LinkedHashMap<>();
    Dashboards.promQl().forEach(query -> expressions.put(query.text(), query.toString()));
    for (Map<String, Object> alert : Dashboards.alerts()) {
      expressions.put((String) alert.get("expr"), (String) alert.get("alert"));
    }
    for (JsonNode dashboard : Dashboards.all()) {
      for (String definition : dashboard.findValuesAsText("definition")) {
        expressions.put(definition, "a variable of " + dashboard.path("title").asText());
      }
    }
    TESTED_SERIES
        .matcher(Files.readString(Dashboards.RULES_TEST))
        .results()
        .forEach(series -> expressions.put(series.group(1), "a test of the alerts"));
    return expressions;
  }

  @Test
  void metricsOfDashboardsAndAlertsAreExposedWithTheirLabels() throws Exception {
    ExposedMetrics exposed = exposed();
    Map<String, String> expressions = expressions();
    assertThat(expressions).hasSizeGreaterThan(60);
    Map<String, Set<String>> missing = new TreeMap<>();
    expressions.forEach(
        (expression, place) -> {
          Set<String> names = exposed.missing(expression);
          if (!names.isEmpty()) {
            missing.put(place + ": " + expression, names);
          }
        });
    assertThat(missing).isEmpty();
  }

  /** The variable of the dashboard has exporters of SQL, for panels of both. */
  @Test
  void exportersHaveTheSameNamesInSqlAndMetrics() throws Exception {
    assertThat(exposed().values("millrace_exporter_rows_total", "exporter"))
        .containsAll(texts(Dashboards.exporterVariable()));
  }

  @Test
  void labelsThatAreShownAreLabelsOfMetrics() throws Exception {
    StringBuilder files = new StringBuilder(Files.readString(Dashboards.RULES));
    for (Path dashboard : GrafanaSql.dashboards()) {
      files.append(Files.readString(dashboard));
    }
    Set<String> shown = new TreeSet<>();
    SHOWN.matcher(files).results().forEach(found -> shown.add(found.group(1)));
    assertThat(shown).hasSizeGreaterThan(5);
    assertThat(exposed().labels()).containsAll(shown);
  }
}
