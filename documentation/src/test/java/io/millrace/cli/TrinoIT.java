package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.console.RuntimeOptions;
import io.millrace.cluster.trino.TrinoNodes;
import io.millrace.pulse.FreePort;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.SeriesResult;
import io.millrace.store.Store;
import io.millrace.store.StoreEngine;
import io.millrace.store.TopResult;
import io.millrace.store.TrinoConfig;
import io.millrace.store.trino.TrinoClient;
import io.millrace.testing.Await;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A real Trino finds the rows of an instance, through its catalog and registered by path. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TrinoIT {
  private static final List<Path> PAGES =
      List.of(Path.of("..", "docs", "store.md"), Path.of("..", "docs", "cluster.md"));
  private static final String PROMPT = "    trino> ";
  private static final List<String> NUMBERS = List.of("integer", "bigint");
  private static final Duration LAST = Duration.ofSeconds(30);

  private static final List<String> FLOW_FILTERS =
      List.of(
          "src_addr IN 64.0.0.0/2 OR dst_addr IN 1.0.0.0/8",
          "inet6",
          "src_addr BETWEEN 1.0.0.0 AND 99.255.255.255",
          "src_addr <> 192.0.2.1 AND NOT dst_addr IN 2000::/3",
          "src_as_name LIKE '%a%' AND dst_port IN (80, 443, 1-53)",
          "NOT src_as_name ILIKE '%NET%'",
          "src_dns IS NULL AND NOT dst_as_name IS NULL",
          "as > 1000 and proto tcp and not flags S",
          "bytes > 500 AND packets = 1 AND time >= '2026-01-31T12:00:00Z'");

  private static final List<String> RECORD_FILTERS =
      List.of(
          "src_addr = 192.0.2.1",
          "src_addr = ::ffff:192.0.2.1",
          "src_addr = 2001:0db8:0000::1",
          "src_addr IN 192.0.2.0/25",
          "src_addr IN 0.0.0.0/0",
          "src_addr IN ::/0",
          "src_addr IN fe80::/10 OR src_addr IN ff00::/8",
          "src_addr BETWEEN 2001:db8::1 AND 8000::",
          "src_addr BETWEEN 8000:: AND ff02::fb AND NOT dst_addr = ff02::fb",
          "src_addr IN (10.0.0.1, ::1, 255.255.255.255)",
          "addr = 10.0.0.1",
          "next_hop IS NULL",
          "tcp_flags & 3 = 1",
          "duration > 10000",
          "bps > 1M",
          "bpp > 1000 and pps > 2",
          "flow_start >= '2023-11-14T22:13:20Z'",
          "(proto = 6) IS NOT TRUE",
          "src_mac = 00:00:00:00:00:07 OR app_id > 1000");

  /** Exit status and output of a command run in this process. */
  private record Run(int status, String out, String err) {
    static Run of(String... arguments) {
      StringWriter out = new StringWriter();
      StringWriter err = new StringWriter();
      int status = Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
      return new Run(status, out.toString(), err.toString());
    }
  }

  @TempDir static Path directory;
  private final int port = FreePort.any();
  private Millrace millrace;
  private TrinoProcess trino;

  @BeforeAll
  void start() throws IOException {
    assertThat(TrinoProcess.java()).isExecutable();
    var unused = TrinoProcess.distribution();
    millrace = new Millrace(config());
    millrace.start();
    send();
    trino =
        TrinoProcess.start(
            Files.createDirectory(directory.resolve("trino")),
            port,
            millrace.url(),
            List.of(registered()));
  }

  @AfterAll
  void stop() {
    if (trino != null) {
      trino.close();
    }
    if (millrace != null) {
      millrace.close();
    }
  }

  private MillraceConfig config() throws IOException {
    MillraceConfig defaults = MillraceConfig.defaults();
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return RuntimeOptions.withBundledDatasets(
        defaults
            .withData(directory.resolve("data"))
            .withSection(defaults.http().withPort(0))
            .withSection(
                defaults
                    .store()
                    .withTrino(
                        new TrinoConfig("http://127.0.0.1:" + port, "millrace", TrinoNodes.CATALOG))
                    .withEngine(StoreEngine.TRINO)
                    .withQueryTimeLimit(TrinoProcess.LIMIT))
            .withSection(defaults.flight().withoutListening())
            .withSection(defaults.collector().withListen(loopback).withReceiveBufferBytes(4 << 20)),
        directory.resolve("datasets"));
  }

  private List<String> rows(String sql) {
    try (QueryResult rows =
        millrace.store().query(new QueryRequest(sql, TrinoProcess.LIMIT, 10_000, true))) {
      return TrinoProcess.texts(rows);
    }
  }

  private void send() {
    String flows = directory.resolve("flows.pcap").toString();
    DocumentedCommandsIT.run(
        List.of("generate", "flows", flows, "--rate", "20000", "--seconds", "1"));
    DocumentedCommandsIT.run(List.of("send", flows, "--to", "127.0.0.1:" + millrace.udpPort()));
    assertThat(millrace.awaitDrained(Duration.ofMinutes(1))).isTrue();
    Await.until(
        "all rows to be committed",
        () ->
            rows("SELECT count(*) FROM flows_committed")
                .equals(rows("SELECT count(*) FROM flows")));
  }

  @Test
  void trinoFindsTheSameRows() throws Exception {
    assertThat(trino.rows("SHOW TABLES")).contains("flows", "names");
    equalByColumn();
    equalNames();
    equalAddresses();
    isReadOnly();
    runsAsDocumented();
    theDocumentedCatalogIsThatOfTheCluster();
    send(); // the newest snapshot, without a restart
    equalByColumn();
    equalNames();
  }

  /** The same rows: all of them are in snapshots. Rollups answer where they have all groups. */
  @Test
  void enginesAnswerAlike() throws IOException {
    TrinoRecords.write(millrace.store());
    List<String> different = new ArrayList<>();
    for (FlowQuery asked : questions()) {
      String expected = attempt(millrace.store(), asked.withScan(true));
      for (FlowQuery each : List.of(asked.withScan(true), asked)) {
        String answer = attempt(millrace.queries(), each);
        if (expected.isEmpty() || !answer.equals(expected)) {
          different.add(each + "\n  " + expected + "\n  " + answer);
        }
      }
    }
    assertThat(different).isEmpty();
  }

  @Test
  void trinoFindsTheSameRollups() throws IOException {
    TrinoRecords.writeDays(millrace.store());
    for (String table : TrinoRecords.rollups()) {
      String sums = TrinoRecords.sumsOfTheFirstDay(table);
      Await.until(
          "all of " + table + " in Trino",
          () ->
              trino.rows("SHOW TABLES").contains(table)
                  && !rows(sums).isEmpty()
                  && trino.rows(sums).equals(rows(sums)));
    }
  }

  private static List<FlowQuery> questions() {
    List<FlowQuery> questions = new ArrayList<>();
    for (String by : List.of("as", "addr", "src_addr", "proto", "dst_port", "exporter", "in_if")) {
      questions.add(FlowQuery.top(20, Measure.BITS, by));
      questions.add(FlowQuery.top(20, Measure.PACKETS, by, "proto"));
      questions.add(FlowQuery.series(Measure.BITS, by));
      questions.add(FlowQuery.top(7, Measure.FLOWS, by).withLast(Optional.of(LAST)));
    }
    questions.add(FlowQuery.top(10, Measure.BITS, "src_dns"));
    questions.add(FlowQuery.top(10, Measure.BITS, "src_mac"));
    questions.add(FlowQuery.series(Measure.SHARE, "as").withPrevious(true).withReverse(true));
    questions.add(FlowQuery.series(Measure.BITS).withLast(Optional.of(LAST)));
    for (String filter : FLOW_FILTERS) {
      questions.add(FlowQuery.top(20, Measure.BITS, "addr").withFilter(filter));
      questions.add(FlowQuery.series(Measure.PACKETS, "as").withFilter(filter));
    }
    for (String filter : RECORD_FILTERS) {
      questions.add(records(FlowQuery.top(50, Measure.BITS, "src_addr")).withFilter(filter));
      questions.add(records(FlowQuery.series(Measure.BITS, "proto")).withFilter(filter));
    }
    for (String by : List.of("src_addr", "next_hop", "src_mac", "tos", "dst_vlan", "app_id")) {
      questions.add(records(FlowQuery.top(100, Measure.PACKETS, by)));
      questions.add(records(FlowQuery.series(Measure.FLOWS, by, "proto")));
    }
    questions.add(records(FlowQuery.top(10, Measure.BITS, "proto")).withP95(true));
    questions.add(records(FlowQuery.series(Measure.BITS)).withStep(Optional.of(LAST)));
    Instant start = Instant.ofEpochSecond(TrinoRecords.START_MICROS / 1_000_000);
    questions.add(
        records(FlowQuery.top(10, Measure.BITS, "src_addr"))
            .withFrom(Optional.of(start.plusSeconds(20)))
            .withTo(Optional.of(start.plusMillis(100_500))));
    return questions;
  }

  private static FlowQuery records(FlowQuery query) {
    return query.withTable(TrinoRecords.TABLE);
  }

  private static String attempt(Store store, FlowQuery query) {
    try {
      return shown(store, query);
    } catch (QueryException e) {
      return store.getClass().getSimpleName() + ": " + e.getMessage();
    }
  }

  /** Without what says who has answered. */
  private static String shown(Store store, FlowQuery query) {
    if (query.points() > 1) {
      return shown(store.series(query));
    }
    TopResult result = store.top(query);
    if (result.rows().isEmpty()) {
      return ""; // the question compares nothing
    }
    StringBuilder text = new StringBuilder();
    text.append(result.columns()).append(result.from()).append(result.to());
    text.append(result.estimated()).append(result.fives());
    text.append(" %.3f %.3f %.3f".formatted(result.total(), result.seconds(), result.bound()));
    for (TopResult.Row row : result.rows()) {
      text.append("\n").append(row.values());
      text.append(" %.3f %d %.3f".formatted(row.volume(), row.flows(), row.p95()));
    }
    return text.toString();
  }

  private static String shown(SeriesResult result) {
    StringBuilder text = new StringBuilder();
    text.append(result.columns()).append(result.step()).append(result.completeUntil());
    text.append(result.freshTo()).append(result.isEstimated());
    show(result.period(), text);
    result.previous().ifPresent(period -> show(period, text));
    result.reverse().ifPresent(period -> show(period, text));
    return text.toString();
  }

  private static void show(SeriesResult.Period period, StringBuilder text) {
    text.append("\n").append(period.from()).append(period.to());
    for (SeriesResult.Group group : period.groups()) {
      text.append("\n").append(group.key()).append(group.labels()).append(group.label());
      show(group.line(), text);
    }
    show(period.others(), text);
    show(period.total(), text);
  }

  /** Sums of doubles in another order. */
  private static void show(SeriesResult.Line line, StringBuilder text) {
    text.append(Arrays.stream(line.rates()).mapToObj("%.3f"::formatted).toList());
    text.append(
        " %.3f %.3f %.3f %.3f %.6f"
            .formatted(line.average(), line.maximum(), line.p95(), line.total(), line.share()));
  }

  @Test
  void sqlIsTrinosOwn() {
    QueryRequest request =
        new QueryRequest(
            "SELECT src_addr, approx_distinct(dst_addr) AS n, max(time) AS t FROM flows WHERE src_addr = CAST(CAST(IPADDRESS '192.0.2.1' AS varbinary) AS uuid) GROUP BY 1;",
            TrinoProcess.LIMIT,
            10);
    try (QueryResult result = millrace.queries().query(request)) {
      assertThat(result.columns())
          .extracting(QueryResult.Column::sqlType)
          .containsExactly("UUID", "BIGINT", "TIMESTAMP");
      assertThat(result.freshTo()).isEqualTo(millrace.store().snapshotTo()).isPresent();
      assertThat(millrace.queries().describe(request).columns()).isEqualTo(result.columns());
    }
    String sql =
        "SELECT count(*) FROM flows WHERE contains('99.0.0.0/8', CAST(CAST(src_addr AS varbinary) AS ipaddress))";
    try (QueryResult result =
        millrace.queries().query(new QueryRequest(sql, TrinoProcess.LIMIT, 10))) {
      assertThat(TrinoProcess.texts(result))
          .isEqualTo(
              rows("SELECT count(*) FROM flows WHERE in_subnet(ip(src_addr), '99.0.0.0/8')"));
    }
    assertThat(answer("SELECT src_addr FROM flows ORDER BY src_addr LIMIT 3"))
        .isEqualTo(rows("SELECT src_addr FROM flows ORDER BY ip(src_addr) LIMIT 3"));
  }

  @Test
  void commandsAndApiAskTrino() throws Exception {
    Run top = Run.of("top", "as", "--scan", "--url", millrace.url());
    assertThat(top.out() + top.err()).contains("rows (Trino)");
    String count = "SELECT typeof(count(*)) FROM flows";
    assertThat(Run.of("sql", count, "--url", millrace.url()).out()).contains("bigint");
    JsonNode answer = post("{\"sql\": \"" + count + "\"}");
    assertThat(answer.path("fresh_to").asText())
        .isEqualTo(millrace.store().snapshotTo().orElseThrow().toString());
    assertThat(answer.path("rows").path(0).path(0).asText()).isEqualTo("bigint");
    JsonNode embedded = post("{\"sql\": \"" + count + "\", \"engine\": \"duckdb\"}");
    assertThat(embedded.path("rows").path(0).path(0).asText()).isEqualTo("BIGINT");
    assertThat(embedded.has("fresh_to")).isFalse();
    assertThat(
            post("{\"sql\": \"SELECT 1\", \"engine\": \"x\"}")
                .path("error")
                .path("message")
                .asText())
        .isEqualTo("engine: x: unknown, expected duckdb or trino");
    assertThat(post("{\"sql\": \"DROP TABLE flows\"}").path("error").path("status").asText())
        .isEqualTo("Forbidden");
  }

  private JsonNode post(String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(millrace.url() + "/api/v1/sql"))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return new ObjectMapper()
        .readTree(
            HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
  }

  private List<String> answer(String sql) {
    try (QueryResult result =
        millrace.queries().query(new QueryRequest(sql, TrinoProcess.LIMIT, 10))) {
      return TrinoProcess.texts(result);
    }
  }

  @Test
  void whatTrinoCannotDoIsRefused() {
    for (String sql :
        List.of(
            "DELETE FROM flows",
            "-- SELECT\nDELETE FROM flows",
            "/* SELECT */ DROP TABLE flows",
            "EXPLAIN ANALYZE DELETE FROM flows",
            "CALL other.system.unregister_table('millrace', 'flows')",
            "")) {
      assertThatThrownBy(() -> answer(sql)).as(sql).hasMessageContaining("allowed");
    }
    assertThatThrownBy(() -> answer("SELECT *\nFROM flow"))
        .isInstanceOfSatisfying(QueryException.class, e -> assertThat(e.position()).isEqualTo(14))
        .hasMessageContaining("'lake.millrace.flow' does not exist");
    assertThatThrownBy(() -> answer("SELECT * FROM alerts"))
        .hasMessageContaining("'lake.millrace.alerts' does not exist");
    assertThatThrownBy(() -> millrace.queries().top(FlowQuery.top(5, Measure.BITS, "in_if_name")))
        .hasMessageContaining("in_if_name: device metadata is not in the Iceberg tables");
    assertThatThrownBy(
            () ->
                millrace
                    .queries()
                    .top(FlowQuery.top(5, Measure.BITS, "as").withFilter("in_if_name = 'uplink'")))
        .hasMessageContaining("in_if_name: device metadata is not in the Iceberg tables");
    assertThatThrownBy(() -> millrace.queries().top(FlowQuery.top(5, Measure.BITS, "bytes")))
        .hasMessageContaining("Trino cannot group by it");
  }

  @Test
  void aClusterStartsAndStopsTrino() throws Exception {
    String dir = directory.resolve("cluster").toString();
    Run start =
        Run.of(
            ("cluster start --task-managers 0 --trino --trino-workers 1 --trino-memory 1GiB"
                    + " --trino-instance "
                    + millrace.url()
                    + " --dir "
                    + dir)
                .split(" ", -1));
    assertThat(start.status()).as(start.err()).isZero();
    try {
      JsonNode status =
          new ObjectMapper().readTree(Run.of("cluster", "status", "--json", "--dir", dir).out());
      String url = status.path("trino").asText();
      assertThat(start.out()).contains("Trino       " + url);
      assertThat(roles(status)).contains("trino=up", "trino-worker-1=up");
      assertThat(Run.of("cluster", "status", "--dir", dir).out()).contains("Trino  " + url);
      try (TrinoClient client =
          new TrinoClient(new TrinoConfig(url, "somebody", TrinoNodes.CATALOG))) {
        assertThat(TrinoProcess.rows(client, "SELECT count(*), sum(bytes) FROM flows"))
            .isEqualTo(rows("SELECT count(*), sum(bytes) FROM flows"));
        assertThat(
                TrinoProcess.rows(
                    client, "SELECT count(*) FROM system.runtime.nodes WHERE NOT coordinator"))
            .containsExactly("1");
        assertThatThrownBy(() -> TrinoProcess.rows(client, "DELETE FROM flows"))
            .hasMessageContaining("Access Denied");
      }
    } finally {
      Run stop = Run.of("cluster", "stop", "--dir", dir);
      assertThat(stop.out()).contains("trino").contains("trino-worker-1");
    }
    assertThat(Run.of("cluster", "status", "--dir", dir).err()).contains("no cluster is running");
  }

  private static List<String> roles(JsonNode status) {
    List<String> roles = new ArrayList<>();
    for (JsonNode process : status.path("processes")) {
      roles.add(process.path("process").asText() + "=" + process.path("state").asText());
    }
    return roles;
  }

  private void equalByColumn() {
    List<String> sums = new ArrayList<>(List.of("count(*)"));
    for (String column : trino.rows("DESCRIBE flows")) {
      String[] parts = column.split("\\|", -1);
      String name = "\"" + parts[0] + "\"";
      sums.add("count(" + name + ")");
      sums.add("count(DISTINCT " + name + ")");
      if (NUMBERS.contains(parts[1]) && !parts[0].matches(".*(name|dns|domain|mac|boundary).*")) {
        sums.add("sum(" + name + ")");
      }
      if (parts[1].startsWith("timestamp")) {
        sums.add("min(" + name + ")");
        sums.add("max(" + name + ")");
      }
    }
    assertThat(sums).hasSizeGreaterThan(100);
    String sql = "SELECT " + String.join(", ", sums) + " FROM flows";
    assertThat(trino.rows(sql)).isEqualTo(rows(sql));
  }

  private void equalNames() {
    List<String> names =
        trino.rows(
            "SELECT name, count(*), sum(bytes) FROM flows JOIN names ON id = src_as_name GROUP BY 1 ORDER BY 1");
    assertThat(names).hasSizeGreaterThan(5);
    assertThat(names)
        .isEqualTo(
            rows(
                "SELECT src_as_name, count(*), sum(bytes) FROM flows WHERE src_as_name IS NOT NULL GROUP BY 1 ORDER BY 1"));
  }

  private void equalAddresses() {
    List<String> addresses =
        trino.rows(
            "SELECT CAST(CAST(CAST(src_addr AS varbinary) AS ipaddress) AS varchar) AS a, count(*) FROM flows GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50");
    assertThat(addresses)
        .isEqualTo(
            rows(
                "SELECT src_addr AS a, count(*) FROM flows GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50"));
  }

  private void isReadOnly() {
    for (String sql :
        List.of("DELETE FROM flows", "DROP TABLE flows", "CREATE TABLE t (a integer)")) {
      assertThatThrownBy(() -> trino.rows(sql))
          .isInstanceOf(QueryException.class)
          .hasMessageContaining("Access Denied");
    }
  }

  /** A catalog in which tables are registered: any that Trino writes to. */
  private TrinoProcess.CatalogFile registered() {
    return new TrinoProcess.CatalogFile(
        "other",
        List.of(
            "connector.name=iceberg",
            "iceberg.catalog.type=TESTING_FILE_METASTORE",
            "hive.metastore.catalog.dir=local://" + directory.resolve("metastore"),
            "iceberg.register-table-procedure.enabled=true",
            "fs.native-local.enabled=true",
            "local.location=/"));
  }

  private void theDocumentedCatalogIsThatOfTheCluster() throws IOException {
    List<String> documented =
        Files.readAllLines(PAGES.get(0)).stream()
            .map(String::strip)
            .filter(line -> line.matches("(connector|iceberg|fs|local|s3)\\.[a-z0-9.-]+=\\S+"))
            .map(line -> line.replace("http://127.0.0.1:8080", millrace.url()))
            .toList();
    assertThat(
            Files.readAllLines(
                directory.resolve("trino").resolve("trino").resolve("catalog/lake.properties")))
        .isEqualTo(documented);
  }

  /** Each line of the pages with Trino's prompt. */
  private void runsAsDocumented() throws IOException {
    assertThat(trino.rows("CREATE SCHEMA other.millrace")).isEmpty();
    int calls = 0;
    int queries = 0;
    for (Path page : PAGES) {
      for (String line : Files.readAllLines(page)) {
        if (!line.startsWith(PROMPT)) {
          continue;
        }
        String sql =
            line.substring(PROMPT.length())
                .replace("/var/lib/millrace/store", millrace.data().resolve("store").toString());
        List<String> result = trino.rows(sql);
        if (sql.startsWith("CALL ")) {
          calls++;
        } else {
          queries++;
          assertThat(result).as(sql).isNotNull();
        }
      }
    }
    assertThat(calls).isEqualTo(1);
    assertThat(queries).isEqualTo(4);
    assertThat(trino.rows("SELECT count(*) FROM other.millrace.flows"))
        .isEqualTo(rows("SELECT count(*) FROM flows"));
  }
}
