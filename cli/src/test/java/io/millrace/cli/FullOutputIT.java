package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cli.console.StandardOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands on a full standard output. */
class FullOutputIT {
  private static final String NO_SPACE = "No space left on device";
  private static final Path FULL = Path.of("/dev/full");

  @TempDir private Path directory;

  private record Run(int status, String err) {}

  private static Run run(OutputStream out, String... words) {
    StringWriter err = new StringWriter();
    int status = Main.run(StandardOutput.of(out), new PrintWriter(err), words);
    return new Run(status, err.toString());
  }

  private static OutputStream failing(String message) {
    return new OutputStream() {
      @Override
      public void write(int value) throws IOException {
        throw new IOException(message);
      }
    };
  }

  /** Each command reports the full disk, not a closed pipe. */
  private static void check(String... words) {
    ByteArrayOutputStream taken = new ByteArrayOutputStream();
    Run usual = run(taken, words);
    assertThat(taken.size()).as("output of %s: %s", String.join(" ", words), usual).isPositive();

    Run full = run(failing(NO_SPACE), words);
    assertThat(full.status()).isEqualTo(Math.max(1, usual.status()));
    assertThat(full.err())
        .endsWith("millrace: cannot write to standard output: " + NO_SPACE + "\n");

    Run gone = run(failing("Broken pipe"), words);
    assertThat(gone.status()).isEqualTo(usual.status());
    assertThat(gone.err()).doesNotContain("standard output");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "--version",
        "help",
        "sql --help",
        "dataset lookup --help",
        "config",
        "config --reference",
        "about",
        "about --licenses",
        "completion bash",
        "kafka schema",
      })
  void commandsOfThemselves(String words) {
    check(words.split(" "));
  }

  @Test
  void theListOfDataSets(@TempDir Path directory) throws IOException {
    Files.writeString(directory.resolve("asn.csv"), "192.0.2.0,192.0.2.255,64500,Our office\n");
    Path config = directory.resolve("millrace.yaml");
    Files.writeString(config, "datasets: {asn: {files: [asn.csv]}}\n");
    check("dataset", "list", "-c", config.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"table", "csv", "tsv", "json"})
  void commandsThatReadFiles(String format) throws IOException {
    Path keywords = Files.writeString(directory.resolve("searches.csv"), keywords());
    check("trends", keywords.toString(), "--format", format);
    check("trends", keywords.toString(), "--records");
    String capture = directory.resolve("flows.pcap").toString();
    assertThat(CommandLineRun.of("generate", "flows", capture, "--seconds", "1").status()).isZero();
    check("decode", capture, "--format", format);
  }

  private static String keywords() {
    StringBuilder lines = new StringBuilder();
    for (int minute = 0; minute < 8; minute++) {
      lines.append("eclipse,2026-03-01T12:0%d:10Z,%d\n".formatted(minute, minute < 7 ? 20 : 200));
    }
    return lines.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"table", "csv", "tsv", "json"})
  void answersOfAnInstance(String format) throws IOException {
    String answer =
        "{\"columns\": [{\"name\": \"n\", \"type\": \"BIGINT\"}], \"rows\": [[1]], \"truncated\": false}";
    try (StubInstance instance = new StubInstance(200, answer)) {
      check("sql", "SELECT 1", "--format", format, "--url", instance.url());
    }
  }

  @Test
  void aWatchEndsWhenItsOutputIsClosed() throws IOException {
    String status = "{\"uptime_ms\": 1, \"state\": \"running\", \"problems\": []}";
    try (StubInstance instance = new StubInstance(200, status)) {
      Run run = run(failing(NO_SPACE), "status", "--json", "--watch", "1", "--url", instance.url());
      assertThat(run.status()).isEqualTo(1);
      assertThat(run.err())
          .isEqualTo("millrace: cannot write to standard output: " + NO_SPACE + "\n");
    }
  }

  @Test
  void aFailedWriteToStandardOutputIsReported() throws Exception {
    assumeTrue(Files.exists(FULL), "this system has no " + FULL);
    Path err = directory.resolve("err");
    Process process =
        new ProcessBuilder(java("--version"))
            .redirectOutput(FULL.toFile())
            .redirectError(err.toFile())
            .start();
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(Files.readString(err)).contains("millrace: cannot write to standard output: ");
  }

  @Test
  void aClosedPipeIsNoError() throws Exception {
    Path err = directory.resolve("err");
    Process process = new ProcessBuilder(java("--help")).redirectError(err.toFile()).start();
    process.getInputStream().close();
    assertThat(process.waitFor()).isZero();
    assertThat(Files.readString(err)).doesNotContain("standard output");
  }

  private static List<String> java(String word) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), word));
    return command;
  }
}
