package io.millrace.server.flight;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
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
 * Each query of the dashboard, its macros written out as Grafana and its Flight SQL plugin do it,
 * run against a store; with the types that this plugin has a kind for. Grafana itself is not here.
 */
class GrafanaDashboardTest {
  private static final Path DASHBOARD = Path.of("..", "deploy", "grafana", "millrace-flows.json");
  private static final Pattern TIME_FILTER = Pattern.compile("\\$__timeFilter\\((\\w+)\\)");

  @TempDir static Path directory;
  private static FlightInstance instance;

  @BeforeAll
  static void start() throws Exception {
    instance = FlightInstance.start(directory);
  }

  @AfterAll
  static void stop() {
    instance.close();
  }

  static Stream<JsonNode> targets() throws IOException {
    JsonNode dashboard = new ObjectMapper().readTree(DASHBOARD.toFile());
    return StreamSupport.stream(dashboard.path("panels").spliterator(), false)
        .flatMap(panel -> StreamSupport.stream(panel.path("targets").spliterator(), false));
  }

  private static String expanded(String sql) {
    return TIME_FILTER
        .matcher(sql)
        .replaceAll("$1 >= '2023-11-14T22:13:20Z' AND $1 <= '2023-11-14T22:13:30Z'");
  }

  private static FlightSqlClient client(RootAllocator memory) {
    return new FlightSqlClient(
        FlightClient.builder(
                memory, Location.forGrpcInsecure("127.0.0.1", instance.listener().port()))
            .build());
  }

  /** What the plugin's editor writes for a grid of time. */
  @Test
  void knowsTheGridOfThePluginsEditor() throws Exception {
    String sql =
        "SELECT date_bin(interval '2 second', time, timestamp '1970-01-01T00:00:00Z') AS time,"
            + " count(*) AS n FROM flows GROUP BY 1 ORDER BY 1";
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = client(memory);
        FlightStream stream =
            client.getStream(client.execute(sql).getEndpoints().get(0).getTicket())) {
      assertThat(stream.next()).isTrue();
      assertThat(stream.getRoot().getRowCount()).isEqualTo(5);
      assertThat(stream.getRoot().getVector("time").getObject(4))
          .isEqualTo(LocalDateTime.parse("2023-11-14T22:13:28"));
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void itsQueriesAnswerInTypesThatThePluginKnows(JsonNode target) throws Exception {
    String sql = expanded(target.path("queryText").asText());
    assertThat(sql).doesNotContain("$");
    try (RootAllocator memory = new RootAllocator();
        FlightSqlClient client = client(memory)) {
      FlightInfo info = client.execute(sql);
      for (Field column : info.getSchemaOptional().orElseThrow().getFields()) {
        assertThat(isKnown(column.getType())).as("%s of %s", column, sql).isTrue();
      }
      int rows = 0;
      Set<Object> times = new HashSet<>();
      try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
        while (stream.next()) {
          FieldVector time = stream.getRoot().getVector("time");
          for (int i = 0; time != null && i < stream.getRoot().getRowCount(); i++) {
            times.add(time.getObject(i));
          }
          rows += stream.getRoot().getRowCount();
        }
      }
      if (sql.contains("FROM flows")) {
        assertThat(rows).isPositive();
      }
      if (target.path("format").asText().equals("time_series")) {
        assertThat(times).containsExactly(LocalDateTime.parse("2023-11-14T22:13"));
      }
    }
  }

  /** It reads every timestamp as nanoseconds, and has no kind for wide or unsigned integers. */
  private static boolean isKnown(ArrowType type) {
    return type instanceof ArrowType.Utf8
        || type instanceof ArrowType.Bool
        || type instanceof ArrowType.FloatingPoint
        || (type instanceof ArrowType.Int integer && integer.getIsSigned())
        || (type instanceof ArrowType.Timestamp moment && moment.getUnit() == TimeUnit.NANOSECOND);
  }
}
