package io.millrace.cli.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.config.ConfigFile;
import io.millrace.cli.config.ConfigWriter;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.flowtrends.FlowTrendsConfig;
import io.millrace.pipelines.flowtrends.FlowTrendsPipeline;
import io.millrace.pipelines.gateways.GatewaysConfig;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.pipelines.hitters.HittersConfig;
import io.millrace.pipelines.hitters.HittersConfigBuilder;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.pipelines.plugins.PluginsConfig;
import io.millrace.pulse.ChildProcess;
import io.millrace.server.collect.LossLedger;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.ResultRetention;
import io.millrace.store.RetentionConfig;
import io.millrace.store.remote.StoreServer;
import io.millrace.testing.Await;
import java.io.IOException;
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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Data directory of an instance of a release, with its configuration and expected contents.
 *
 * <pre>
 * data.tar.gz     after a clean stop
 * millrace.yaml   all keys of the release
 * networks.csv    its AS table
 * expected.txt    queries, each followed by its rows, and the ledger
 * </pre>
 *
 * @param folder with the release's name
 */
record GoldenDirectory(Path folder) {
  private static final Path ALL = Path.of("src/test/resources/io/millrace/cli/upgrade/golden");
  private static final String DATA = "data.tar.gz";
  private static final String CONFIG = "millrace.yaml";
  private static final String EXPECTED = "expected.txt";
  private static final String LEDGER = "ledger";
  private static final String INDENT = "  ";
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  /**
   * Rounds of {@link GoldenTraffic} in each directory, one per second. When all are sent, the first
   * epochs of heavy hitters are complete, and the last ones are in the job's state.
   */
  static final int ROUNDS = 14;

  /**
   * Long enough that no row is late on a busy machine: late rows would be missing in heavy hitters.
   */
  private static final Duration WATERMARK_DELAY = Duration.ofSeconds(10);

  /**
   * Query for epochs in which the bytes of heavy hitters, which include all keys, differ from those
   * of the rows. The newest epoch may lack rows that have not arrived.
   */
  static final String HITTERS_WITHOUT_ROWS =
      "WITH last AS (SELECT max(epoch) AS epoch FROM hitters) SELECT (SELECT sum(estimate)::BIGINT FROM hitters, last WHERE hitters.epoch < last.epoch) - (SELECT sum(bytes * coalesce(sampling_rate, 1))::BIGINT FROM flows, last WHERE time < last.epoch)";

  /** The total of what a gateway has sent by its running values. */
  static final String GATEWAYS =
      "SELECT gateway, sum(tx), sum(records) FROM gateway_days GROUP BY ALL";

  /** Of the first value. In the past of any run, with others a minute apart. */
  private static final Instant GATEWAY_START = Instant.parse("2026-11-29T12:00:00Z");

  private static final List<String> QUERIES =
      List.of(
          "SELECT count(*), sum(epoch_us(time)), sum(bytes), sum(packets), sum(sampling_rate), sum(proto), sum(src_port), sum(dst_port), sum(tcp_flags), sum(in_if), sum(out_if), sum(log_offset), sum(log_index) FROM flows",
          "SELECT min(epoch_us(time)), max(epoch_us(time)), min(src_addr), max(src_addr), min(dst_addr), max(dst_addr), count(DISTINCT src_addr) FROM flows",
          "SELECT exporter, count(*), sum(bytes), sum(packets) FROM flows GROUP BY ALL ORDER BY ALL",
          "SELECT epoch_us(date_trunc('minute', time)) AS minute, proto, sum(bytes * sampling_rate), count(*) FROM flows GROUP BY ALL ORDER BY ALL",
          "SELECT dst_addr, sum(bytes * coalesce(sampling_rate, 1)) AS scaled FROM flows GROUP BY ALL ORDER BY scaled DESC, dst_addr LIMIT 10",
          "SELECT src_addr, sum(packets), count(*) AS c FROM flows WHERE proto = 6 GROUP BY ALL ORDER BY c DESC, src_addr LIMIT 10",
          "SELECT src_as, src_as_name, dst_as_name, count(*) FROM flows GROUP BY ALL ORDER BY ALL",
          "SELECT count(*) FROM flows_committed",
          GATEWAYS);

  private static final String NETWORKS = "networks.csv";

  /** Directories of all releases that are kept. */
  static List<GoldenDirectory> all() throws IOException {
    try (Stream<Path> folders = Files.list(ALL)) {
      return folders.sorted().map(GoldenDirectory::new).toList();
    }
  }

  static GoldenDirectory of(String release) {
    return new GoldenDirectory(ALL.resolve(release));
  }

  @Override
  public String toString() {
    return folder.getFileName().toString();
  }

  /** Unpacks the data into an existing directory. */
  void unpack(Path data) throws IOException {
    ChildProcess.check("tar", "-xzf", folder.resolve(DATA).toString(), "-C", data.toString());
  }

  /** The release's configuration, for a data directory. */
  MillraceConfig config(Path data) {
    return ConfigFile.read(folder.resolve(CONFIG)).withData(data);
  }

  /** Expected contents, in the format of {@link #found}. */
  String expected() throws IOException {
    return Files.readString(folder.resolve(EXPECTED));
  }

  /** Contents of an instance, in the order of {@link #expected}. */
  String found(Millrace millrace) throws IOException {
    List<String> queries = expected().lines().filter(line -> !line.startsWith(INDENT)).toList();
    return answers(millrace, queries);
  }

  private static String answers(Millrace millrace, List<String> queries) {
    StringBuilder text = new StringBuilder();
    for (String query : queries) {
      text.append(query).append('\n');
      List<String> rows = query.equals(LEDGER) ? ledger(millrace) : rows(millrace, query);
      rows.forEach(row -> text.append(INDENT).append(row).append('\n'));
    }
    return text.toString();
  }

  /** Rows of a query, values separated by blanks; NULL is a hyphen. */
  static List<String> rows(Millrace millrace, String sql) {
    List<String> rows = new ArrayList<>();
    try (QueryResult result = millrace.store().query(new QueryRequest(sql, TIMEOUT, 10_000))) {
      int columns = result.columns().size();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
          Object value = result.value(i);
          row.add(value == null ? "-" : value.toString());
        }
        rows.add(String.join(" ", row));
      }
    }
    return rows;
  }

  static List<String> ledger(Millrace millrace) {
    LossLedger.Report report = millrace.ledger();
    assertThat(report.violations()).isEmpty();
    return report.exporters().stream()
        .map(
            entry ->
                String.format(
                    Locale.ROOT,
                    "%s: sent %d, stored %d in %d rows, lost %d",
                    entry.key(),
                    entry.collected().sent(),
                    entry.job().stored(),
                    entry.job().rows(),
                    entry.lost()))
        .sorted()
        .toList();
  }

  /** Sends a running value, which counts less the one before: that is in the job's state. */
  static void sendGateway(Millrace millrace, int minute, long value) throws IOException {
    String record =
        "{\"gateway_id\": \"gw-1\", \"date\": %d, \"ipTx\": %d, \"ipRx\": 0}"
            .formatted(GATEWAY_START.plusSeconds(60L * minute).toEpochMilli(), value);
    String url = millrace.ingest().orElseThrow().url() + "/ingest/gateways?form=cumulative";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .POST(HttpRequest.BodyPublishers.ofString(record))
            .build();
    try {
      HttpResponse<String> response =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Waits until all rows are stored and covered by a completed checkpoint. */
  static void awaitCheckpoint(Millrace millrace, long rows) {
    assertThat(millrace.awaitDrained(TIMEOUT)).as("drained").isTrue();
    Await.until(
        "a checkpoint of all rows",
        () ->
            rows(millrace, "SELECT count(*) FROM flows_committed")
                .equals(List.of(String.valueOf(rows))));
  }

  /**
   * Runs an instance, and writes its directory and contents.
   *
   * @param data empty directory for its data
   */
  void write(Path data) throws IOException {
    Files.createDirectories(folder);
    Files.write(
        folder.resolve(NETWORKS),
        List.of(
            "16777216,16777471,\"AS64500 First of these networks\"",
            "134744064,134744319,\"AS64501 Second of these networks\""));
    Files.writeString(
        folder.resolve(CONFIG), ConfigWriter.yaml(settings(Path.of("millrace-data"))));
    try (Millrace millrace = new Millrace(config(data));
        GoldenTraffic traffic = new GoldenTraffic(0)) {
      millrace.start();
      for (int i = 0; i < ROUNDS; i++) {
        long second = Math.floorDiv(System.currentTimeMillis(), 1_000);
        traffic.send(millrace);
        Await.until(
            "the next epoch", () -> Math.floorDiv(System.currentTimeMillis(), 1_000) > second);
      }
      sendGateway(millrace, 0, 1_000);
      sendGateway(millrace, 1, 1_500);
      Await.until("a gateway", () -> rows(millrace, GATEWAYS).equals(List.of("gw-1 500 2")));
      awaitCheckpoint(millrace, (long) ROUNDS * GoldenTraffic.ROWS);
      Await.until(
          "two epochs",
          () -> rows(millrace, "SELECT count(DISTINCT epoch) >= 2 FROM hitters").contains("true"));
      assertThat(rows(millrace, HITTERS_WITHOUT_ROWS)).containsExactly("0");
      String last = rows(millrace, "SELECT max(epoch_us(epoch)) FROM hitters").get(0);
      List<String> queries = new ArrayList<>(QUERIES);
      queries.add(
          "SELECT epoch_us(epoch), kind, key, rank, estimate, lower, upper FROM hitters WHERE epoch_us(epoch) < %s ORDER BY epoch, kind, rank, key"
              .formatted(last));
      queries.add(LEDGER);
      Files.writeString(folder.resolve(EXPECTED), answers(millrace, queries));
    }
    ChildProcess.check(
        "tar",
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--exclude=./jvm-tmp",
        "--exclude=./lock",
        "-czf",
        folder.resolve(DATA).toString(),
        "-C",
        data.toString(),
        ".");
  }

  /** Settings with which nothing is removed by age, whenever the directory is opened. */
  private static MillraceConfig settings(Path data) {
    MillraceConfig defaults = MillraceConfig.defaults();
    return defaults
        .withData(data)
        .withDatasets(Map.of("asn", DatasetDeclaration.of(NETWORKS)))
        .withSection(
            defaults
                .collector()
                .withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        .withSection(
            FlinkConfig.defaults().withSlots(2).withCheckpointInterval(Duration.ofMillis(500)))
        .withSection(defaults.log().withRetention(defaults.log().retentionSizeBytes(), FOR_EVER))
        .withSection(
            defaults
                .store()
                .withMemoryBytes(256 << 20)
                .withThreads(1)
                .withRetention(
                    new RetentionConfig(
                        FOR_EVER,
                        0,
                        Map.of(
                            "hitters",
                            ResultRetention.FOR_EVER,
                            "gateway_days",
                            ResultRetention.FOR_EVER),
                        1)))
        .withSection(PluginsConfig.NONE.withWatermarkDelay(WATERMARK_DELAY))
        .withSection(IngestConfig.OFF.withListen(StoreServer.anyLocalPort()))
        .withSection(defaults.http().withPort(0))
        .withSection(defaults.flight().withoutListening())
        .with(new GatewaysPipeline(GatewaysConfig.defaults().withEnabled(true)))
        .with(new FlowTrendsPipeline(FlowTrendsConfig.defaults().running()))
        .with(
            new HittersPipeline(
                HittersConfigBuilder.builder(HittersConfig.defaults())
                    .enabled(true)
                    .keys(List.of("destination"))
                    .epoch(Duration.ofSeconds(1))
                    .threshold("top 20")
                    .build()));
  }
}
