package io.millrace.cli.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.quota.QuotaRecords;
import io.millrace.cli.CommandLineRun;
import io.millrace.cli.TraceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GenerateQuotaCommandTest {
  @TempDir Path dir;

  @Test
  void filesAreRecordsOfTheStreams() throws IOException {
    CommandLineRun run =
        CommandLineRun.of(
            "generate", "quota", dir.toString(), "--minutes", "2", "--records", "500");
    assertThat(run.status()).isZero();
    int records = TraceFiles.records(dir, QuotaRecords.USAGE, QuotaRecords.STREAMING);
    assertThat(records).isEqualTo(1_000);
    try (Stream<Path> files = Files.list(dir)) {
      assertThat(files).hasSize(4);
    }
  }

  @Test
  void rejectsNoMinutes() {
    CommandLineRun run = CommandLineRun.of("generate", "quota", dir.toString(), "--minutes", "0");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--minutes 0 is out of range, expected 1 to 9999");
  }

  @Test
  void exampleSwitchesThePipelineOn() {
    CommandLineRun run = CommandLineRun.of("config", "-c", "../examples/quota/millrace.yaml");
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out()).containsPattern("(?m)^quota:\\n.*\\n  enabled: true$");
    assertThat(run.out()).contains("  release: at-once");
  }
}
