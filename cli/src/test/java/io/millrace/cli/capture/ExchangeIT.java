package io.millrace.cli.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineRun;
import io.millrace.cli.config.ConfigFile;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.Cancellation;
import io.millrace.store.FlowQuery;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.TopResult;
import io.millrace.testing.Await;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.TruthCounter;
import io.millrace.traffic.model.NetworkCsv;
import io.millrace.traffic.model.TrafficConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The exchange of {@code examples/exchange}: sums by member pair match the generated traffic. */
class ExchangeIT {
  private static final Path EXAMPLE = Path.of("../examples/exchange");
  private static final int RATE = 200;
  private static final int SECONDS = 1_800;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @TempDir static Path dir;
  private static Instant start;
  private static Millrace millrace;
  private static String url;

  @BeforeAll
  static void importTraffic() throws IOException {
    start = Instant.now().minusSeconds(SECONDS + 600).truncatedTo(ChronoUnit.MINUTES);
    MillraceConfig example = ConfigFile.read(EXAMPLE.resolve("millrace.yaml"));
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    millrace =
        new Millrace(
            example
                .withData(dir.resolve("data"))
                .withSection(example.http().withPort(0))
                .withSection(example.flight().withoutListening())
                .withSection(example.collector().withListen(loopback)));
    millrace.start();
    url = millrace.url();
    String capture = dir.resolve("exchange.pcap").toString();
    CommandLineRun generated =
        CommandLineRun.of(
            "generate",
            "flows",
            capture,
            "--networks",
            EXAMPLE.resolve("networks.csv").toString(),
            "--switches",
            "3",
            "--rate",
            Integer.toString(RATE),
            "--seconds",
            Integer.toString(SECONDS),
            "--start",
            start.toString());
    assertThat(generated.status()).as(generated.err()).isZero();
    assertThat(generated.err()).contains("of 3 switches");
    CommandLineRun imported = CommandLineRun.of("import", capture, "--url", url);
    assertThat(imported.status()).as(imported.err()).isZero();
  }

  @AfterAll
  static void stop() {
    if (millrace != null) {
      millrace.close();
    }
  }

  private static Map<String, String> truth() throws IOException {
    long first = ChronoUnit.MICROS.between(Instant.EPOCH, start);
    TrafficGenerator traffic =
        GenerateFlowsCommand.traffic(
            TrafficConfig.defaults(1, first)
                .withSamplesPerSecond(RATE)
                .withoutRhythm()
                .withExporters(TrafficConfig.Exporters.DEFAULT.withCount(3)),
            NetworkCsv.readRanges(EXAMPLE.resolve("networks.csv")));
    TruthCounter truth = new TruthCounter(traffic);
    ExportDatagram datagram = new ExportDatagram();
    traffic.next(datagram);
    while (datagram.timeMicros() < first + 1_000_000L * SECONDS) {
      truth.add(datagram);
      traffic.next(datagram);
    }
    Map<String, String> pairs = new TreeMap<>();
    for (TruthCounter.Pair pair : truth.pairs()) {
      pairs.put(pair.srcAs() + " " + pair.dstAs(), pair.samples() + " " + pair.bytes());
    }
    return pairs;
  }

  private static List<List<String>> query(String sql) throws IOException {
    List<List<String>> rows = new ArrayList<>();
    try (QueryResult result = millrace.store().query(new QueryRequest(sql, TIMEOUT, 10_000))) {
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 0; i < result.columns().size(); i++) {
          row.add(String.valueOf(result.value(i)));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  @Test
  void pairsOfMembersHaveTheSumsOfTheTraffic() throws IOException {
    Map<String, String> pairs = truth();
    assertThat(pairs).hasSizeGreaterThan(50);
    Map<String, String> found = new TreeMap<>();
    for (List<String> row :
        query(
            "SELECT src_member_asn, dst_member_asn, count(*), sum(bytes) FROM flows GROUP BY 1, 2")) {
      found.put(row.get(0) + " " + row.get(1), row.get(2) + " " + row.get(3));
    }
    assertThat(found).isEqualTo(pairs);
    assertThat(query("SELECT DISTINCT src_member FROM flows WHERE src_member_asn = 64502"))
        .containsExactly(List.of("Golf Cable"));
    assertThat(query("SELECT count(DISTINCT exporter_name), count(DISTINCT dst_member) FROM flows"))
        .containsExactly(List.of("3", "10"));
  }

  @Test
  void topMemberUsesTheRollupOfMembers() throws IOException {
    FlowQuery asked = FlowQuery.top(200, FlowQuery.Measure.BITS, "member");
    Await.until(
        "the rollup",
        () -> millrace.store().top(asked, new Cancellation()).source().contains("rollup member"));
    TopResult result = millrace.store().top(asked, new Cancellation());
    TopResult scanned = millrace.store().top(asked.withScan(true), new Cancellation());
    assertThat(result.columns()).containsExactly("src_member", "dst_member");
    assertThat(volumes(result)).isEqualTo(volumes(scanned)).hasSizeGreaterThan(50);
    CommandLineRun top =
        CommandLineRun.of("top", "member", "-n", "1", "--format", "tsv", "--url", url);
    assertThat(top.out()).startsWith("src_member\tdst_member\t");
    CommandLineRun filtered =
        CommandLineRun.of(
            "top",
            "src_member",
            "--filter",
            "dst member 'Golf Cable'",
            "--format",
            "tsv",
            "--url",
            url);
    assertThat(filtered.status()).as(filtered.err()).isZero();
    assertThat(filtered.out().lines().count()).isGreaterThan(5);
  }

  private static Map<List<String>, Double> volumes(TopResult result) {
    Map<List<String>, Double> volumes = new HashMap<>();
    result.rows().forEach(row -> volumes.put(row.values(), row.volume()));
    return volumes;
  }
}
