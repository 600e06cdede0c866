package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.config.ConfigFile;
import io.millrace.cli.console.RuntimeOptions;
import io.millrace.pipelines.ads.AdsPipeline;
import io.millrace.pipelines.apps.AppsConfig;
import io.millrace.pipelines.apps.AppsPipeline;
import io.millrace.pipelines.count.CountConfig;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pipelines.flowtrends.FlowTrendsPipeline;
import io.millrace.pipelines.gateways.GatewaysConfig;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.pipelines.hitters.HittersConfig;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.pipelines.quota.QuotaPipeline;
import io.millrace.pipelines.trends.TrendsPipeline;
import io.millrace.pipelines.voice.VoicePipeline;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.testing.GrafanaSql;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each query of the documents and of Grafana's dashboards, and each {@code top}, run as it stands
 * against an instance with traffic and the bounds that are the defaults. What a page makes before
 * its query is made here first: tables of an import, and of the example's plugin. Not run is what
 * has a hole ({@code …}, {@code ?}).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocumentedCommandsIT {
  private static final Path ROOT = Path.of("..");
  private static final int SAMPLES = 20_000;

  private static final Pattern FENCED = Pattern.compile("(?s)```sql\n(.*?)```");
  private static final Pattern INDENTED = Pattern.compile("(?m)^    (SELECT .*(?:\n    .+)*)");
  private static final Pattern SQL = Pattern.compile("(?s)millrace sql (?:\"(.*?)\"|'(.*?)')");
  private static final Pattern IN_JSON = Pattern.compile("\"sql\": \"(.*?)\"");
  private static final Pattern TOP = Pattern.compile("(?m)^ *(?:\\$ )?(?:\\./)?millrace (top .*)$");
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

  /** What a page shows for its message. */
  private static final String MISTAKE = "htps";

  @TempDir static Path dir;
  private Millrace millrace;

  @BeforeAll
  void start() throws IOException {
    MillraceConfig defaults = MillraceConfig.defaults();
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    MillraceConfig config =
        RuntimeOptions.withBundledDatasets(
            defaults
                .withData(dir.resolve("data"))
                .with(new HittersPipeline(HittersConfig.defaults().withEnabled(true)))
                .with(new CountPipeline(CountConfig.defaults().running(1, true)))
                .with(new AppsPipeline(AppsConfig.defaults().running(1)))
                .withSection(defaults.http().withPort(0))
                .withSection(defaults.flight().withoutListening())
                .with(new GatewaysPipeline(GatewaysConfig.defaults().withEnabled(true)))
                .withSection(
                    defaults.collector().withListen(loopback).withReceiveBufferBytes(4 << 20)),
            dir.resolve("datasets"));
    Map<String, DatasetDeclaration> datasets = new LinkedHashMap<>(config.datasets());
    Path exchange = ROOT.resolve("examples/exchange/millrace.yaml");
    datasets.put("members", ConfigFile.read(exchange).datasets().get("members"));
    config = config.withDatasets(datasets);
    millrace = new Millrace(config);
    millrace.start();
    for (String imported : List.of("january", "november")) {
      var unused = millrace.store().table(imported, FlowsPipeline.schema(config.datasets()));
    }
    new QuotaPipeline().tables().forEach(millrace.store()::results);
    new VoicePipeline().tables().forEach(millrace.store()::results);
    new TrendsPipeline().tables().forEach(millrace.store()::results);
    new FlowTrendsPipeline().tables().forEach(millrace.store()::results);
    new AdsPipeline().tables().forEach(millrace.store()::results);
    var unused =
        millrace
            .store()
            .results("packets_by_country", TableSchema.builder().time("minute").build());
    send();
    assertThat(millrace.table().rows()).isGreaterThan(SAMPLES / 2);
  }

  private void send() {
    String flows = dir.resolve("flows.pcap").toString();
    String collector = "127.0.0.1:" + millrace.udpPort();
    String rate = Integer.toString(SAMPLES);
    String printed = run(List.of("generate", "flows", flows, "--rate", rate, "--seconds", "1"));
    printed += run(List.of("send", flows, "--to", collector));
    assertThat(printed).doesNotContain("rejected");
    assertThat(millrace.awaitDrained(Duration.ofMinutes(1))).isTrue();
  }

  @AfterAll
  void stop() {
    millrace.close();
  }

  private static List<String> pages() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              Stream.of(ROOT.resolve("README.md")),
              files.filter(file -> file.toString().endsWith(".md")).sorted())
          .map(DocumentedCommandsIT::read)
          .toList();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<String> found(Pattern pattern, String page) {
    return pattern.matcher(page).results().map(DocumentedCommandsIT::firstGroup);
  }

  private static String firstGroup(MatchResult match) {
    for (int i = 1; i <= match.groupCount(); i++) {
      if (match.group(i) != null) {
        return match.group(i);
      }
    }
    throw new IllegalArgumentException(match.group());
  }

  private void ask(List<String> words) {
    List<String> all = new ArrayList<>(words);
    all.add("--url");
    all.add(millrace.url());
    assertThat(run(all)).as(words.toString()).isNotBlank();
  }

  static String run(List<String> words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = Main.run(new PrintWriter(out), new PrintWriter(err), words.toArray(new String[0]));
    assertThat(status).as(words + ": " + err).isZero();
    return out.toString();
  }

  @Test
  void queriesOfThePages() throws IOException {
    List<String> queries = new ArrayList<>();
    for (String page : pages()) {
      for (Pattern pattern : List.of(FENCED, INDENTED, SQL, IN_JSON)) {
        queries.addAll(found(pattern, page).filter(query -> !query.contains("…")).toList());
      }
    }
    assertThat(queries).hasSizeGreaterThan(25).anyMatch(query -> query.contains("gateway_top"));
    for (String query : queries) {
      ask(List.of("sql", query));
    }
  }

  @Test
  void topsOfThePages() throws IOException {
    List<String> commands = new ArrayList<>();
    for (String page : pages()) {
      commands.addAll(found(TOP, page).filter(line -> !line.contains(MISTAKE)).toList());
    }
    assertThat(commands).hasSizeGreaterThan(12);
    for (String command : commands) {
      String once = command.replaceFirst(" #.*", "").replace(" --watch", "");
      ask(found(WORD, once).toList());
    }
  }

  @Test
  void queriesOfTheDashboardsOfGrafana() throws IOException {
    List<String> queries = new ArrayList<>();
    for (Path dashboard : GrafanaSql.dashboards()) {
      queries.addAll(new ObjectMapper().readTree(dashboard.toFile()).findValuesAsText("queryText"));
    }
    assertThat(queries).hasSizeGreaterThan(10);
    Instant now = Instant.now();
    for (String query : queries) {
      ask(List.of("sql", GrafanaSql.expanded(query, now.minusSeconds(3_600), now, "'127.0.0.1'")));
    }
  }

  @Test
  void thePageOfTablesHasTheColumnsOfAkvorado() throws IOException {
    String page = read(ROOT.resolve("docs/reference/tables.md"));
    assertThat(page).contains("`community_id`");
    QueryRequest columns =
        new QueryRequest(
            "SELECT column_name FROM (DESCRIBE akvorado_flows)", Duration.ofMinutes(1), 1_000);
    try (QueryResult answer = millrace.store().query(columns)) {
      int count = 0;
      for (; answer.next(); count++) {
        assertThat(page).contains("`" + answer.value(0) + "`");
      }
      assertThat(count).isGreaterThan(10);
    }
  }
}
