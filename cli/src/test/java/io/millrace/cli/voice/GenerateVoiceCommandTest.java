package io.millrace.cli.voice;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.voice.VoiceRecords;
import io.millrace.cli.CommandLineRun;
import io.millrace.cli.TraceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GenerateVoiceCommandTest {
  @TempDir Path dir;

  @Test
  void filesAreRecordsOfTheStreams() throws IOException {
    CommandLineRun run =
        CommandLineRun.of(
            "generate", "voice", dir.toString(), "--minutes", "2", "--messages", "500");
    assertThat(run.status()).isZero();
    int records = TraceFiles.records(dir, VoiceRecords.MESSAGES, VoiceRecords.CHANNELS);
    assertThat(records).isBetween(1_238, 1_242); // one of a kind may fall into the next minute
    try (Stream<Path> files = Files.list(dir)) {
      assertThat(files).hasSize(5);
    }
  }

  @Test
  void rejectsNoMinutes() {
    CommandLineRun run = CommandLineRun.of("generate", "voice", dir.toString(), "--minutes", "0");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--minutes 0 is out of range, expected 1 to 9999");
  }

  @Test
  void exampleSwitchesThePipelineOn() {
    CommandLineRun run = CommandLineRun.of("config", "-c", "../examples/voice/millrace.yaml");
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out()).containsPattern("(?m)^voice:\\n.*\\n  enabled: true$");
    assertThat(run.out()).contains("  cells: trace/cells.csv");
  }
}
