package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every benchmark at a tiny size: correct result, machine-readable output, no files left. */
class TinyBenchmarksTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;

  private List<JsonNode> run(String... words) throws IOException {
    List<String> all = new ArrayList<>(List.of("--json", "--data", directory.toString()));
    all.addAll(List.of(words));
    CommandLineRun run = CommandLineRun.of(all.toArray(new String[0]));
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(directory).isEmptyDirectory();
    List<JsonNode> figures = new ArrayList<>();
    for (String line : run.out().lines().toList()) {
      JsonNode figure = JSON.readTree(line);
      assertThat(figure.path("value").asDouble()).as(line).isPositive();
      assertThat(figure.path("metric").asText()).as(line).isNotEmpty();
      assertThat(figure.path("unit").asText()).as(line).isNotEmpty();
      assertThat(figure.path("params").isObject()).as(line).isTrue();
      figures.add(figure);
    }
    return figures;
  }

  @Test
  void printsTheDurationOfABenchmarkUnlessAScriptReads() {
    String[] windows = {"analytics.windows", "--rows", "10000"};
    CommandLineRun read = CommandLineRun.of(windows);
    assertThat(read.err()).startsWith("analytics.windows: takes about a minute");
    assertThat(read.out()).startsWith("analytics.windows ").doesNotContain("takes about");
    CommandLineRun script = CommandLineRun.of(windows[0], windows[1], windows[2], "--json");
    assertThat(script.err()).isEmpty();
  }

  @Test
  void rowsFromTheLogAreTheGeneratedOnes() throws IOException {
    assertThat(run("flows.log", "--rows", "10000"))
        .extracting(figure -> figure.path("bench").asText())
        .contains("flows.log", "flows.disk");
  }

  @Test
  void publishedQueriesRun() throws IOException {
    assertThat(run("flows.topn.as", "--rows", "10000"))
        .extracting(figure -> figure.path("bench").asText())
        .hasSize(3 * 4) // one to four clients
        .containsOnly("flows.count", "flows.topn.as", "flows.topn.dns");
  }

  @Test
  void comparesOneSlotWithTwo() throws IOException {
    assertThat(run("flows.scaling", "--rows", "10000"))
        .extracting(figure -> figure.path("metric").asText())
        .containsExactly("rate", "rate", "ratio");
  }

  @Test
  void reportsRateAndLatencyOfABatchSize() throws IOException {
    List<JsonNode> figures =
        run("flows.batch", "--batch", "300", "--rows", "10000", "--rate", "5000", "--seconds", "1");
    assertThat(figures)
        .extracting(figure -> figure.path("metric").asText())
        .containsExactly("rate", "p50_ms", "p99_ms");
    assertThat(figures)
        .extracting(figure -> figure.path("params").path("batch").asInt())
        .containsOnly(300);
  }

  @Test
  void comparesNumbersOfBlocksInFlight() throws IOException {
    assertThat(run("flows.inflight", "--blocks", "1", "--blocks", "4", "--rows", "10000"))
        .extracting(figure -> figure.path("params").path("blocks").asInt())
        .containsExactly(1, 4);
  }

  @Test
  void rejectsValuesThatCannotBeMeasured() {
    for (String[] words :
        List.of(
            new String[] {"flows.batch", "--batch", "6401"},
            new String[] {"flows.inflight", "--blocks", "3"},
            new String[] {"siege", "--attack", "nonsense"},
            new String[] {"recovery", "--case", "decoder"},
            new String[] {"trends", "--threads", "3"},
            new String[] {"scale", "--workers", "17"},
            new String[] {"scale", "--quota", "0.01"},
            new String[] {"scale", "--part", "kafka"})) {
      CommandLineRun run = CommandLineRun.of(words);
      assertThat(run.status()).as(run.err()).isEqualTo(2);
      assertThat(run.err()).containsOnlyOnce("\n").contains(words[1] + "'", words[2]);
    }
  }

  @Test
  void rejectsUnknownOptionsBeforeAnythingRuns() {
    for (String[] words :
        List.of(
            new String[] {"siege", "--batch", "300"},
            new String[] {"flows.batch", "siege", "--batch", "300"})) {
      CommandLineRun run = CommandLineRun.of(words);
      assertThat(run.status()).as(run.err()).isEqualTo(2);
      assertThat(run.err())
          .startsWith("millrace: Unknown option")
          .containsOnlyOnce("\n")
          .contains("'--batch'", "; see millrace bench siege --help");
    }
  }

  @Test
  void acceptsTheOptionsOfAllNamedBenchmarks() throws IOException {
    assertThat(run("analytics.windows", "wire.json", "--rows", "10000"))
        .extracting(figure -> figure.path("bench").asText())
        .contains("analytics.windows", "wire.json");
  }

  @Test
  void theHelpOfABenchmarkHasItsOptions() {
    CommandLineRun run = CommandLineRun.of("flows.latency", "--help");
    assertThat(run.status()).isZero();
    assertThat(run.out())
        .contains("Usage: millrace bench flows.udp", "--rate=N", "--seconds=N", "--json")
        .doesNotContain("--rows");
  }

  @Test
  void namesAreBuiltAndFound() throws IOException {
    assertThat(run("datasets.rdns.build", "--names", "20000"))
        .extracting(figure -> figure.path("bench").asText())
        .contains("datasets.rdns.build", "datasets.rdns", "datasets.rdns.domain");
  }

  @Test
  void rowsOverUdpBecomeVisible() throws IOException {
    assertThat(run("flows.latency", "--rate", "5000", "--seconds", "1", "--hostile-sql"))
        .filteredOn(figure -> figure.path("metric").asText().startsWith("p99"))
        .extracting(figure -> figure.path("params").path("beside").asText())
        .containsExactly("nothing", "hostile SQL", "nothing, again", "hostile SQL");
  }

  @Test
  void anUnknownNameIsRejected() {
    CommandLineRun run = CommandLineRun.of("flows.nothing");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).containsOnlyOnce("\n").contains("'flows.nothing'");
  }
}
