package io.millrace.cli.voice;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.voice.VoiceRecords;
import io.millrace.cli.CommandLineRun;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordDecoder;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import io.millrace.wire.record.RecordSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    int records = 0;
    for (RecordSchema schema : List.of(VoiceRecords.MESSAGES, VoiceRecords.CHANNELS)) {
      for (String minute : List.of("0000", "0001")) {
        List<String> lines =
            Files.readAllLines(dir.resolve(schema.name() + "-" + minute + ".ndjson"));
        lines.forEach(line -> isRecord(schema, line));
        records += lines.size();
      }
    }
    assertThat(records).isBetween(1_238, 1_242); // one of a kind may fall into the next minute
    try (Stream<Path> files = Files.list(dir)) {
      assertThat(files).hasSize(5);
    }
  }

  private static void isRecord(RecordSchema schema, String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    TableBlock block = new TableBlock(schema.columns(), 1);
    RecordErrors errors = new RecordErrors(1);
    int read =
        new RecordDecoder(schema)
            .decode(
                RecordEncoding.JSON,
                bytes,
                0,
                bytes.length,
                RecordAttributes.NONE,
                block,
                errors,
                1 << 20);
    assertThat(errors.isEmpty()).as(line).isTrue();
    assertThat(read).isEqualTo(1);
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
