package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandHelpTest {
  @Test
  void everyCommandHasOneLineInOneGroup() {
    List<String> listed =
        CommandGroups.GROUPS.values().stream()
            .flatMap(List::stream)
            .map(CommandGroups.Line::command)
            .toList();
    assertThat(listed).doesNotHaveDuplicates();
    assertThat(listed)
        .containsExactlyInAnyOrderElementsOf(
            new CommandLine(new MillraceCommand()).getSubcommands().keySet());
    CommandLineRun help = CommandLineRun.of("help");
    assertThat(help.status()).isZero();
    assertThat(help.out()).contains("\nQuery\n  top         the largest groups, without SQL\n");
    assertThat(help.out().lines()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void helpTakesACommandName() {
    assertThat(CommandLineRun.of("help", "top").out()).startsWith("Usage: millrace top ");
  }

  @ParameterizedTest
  @CsvSource({
    "statu, status",
    "tpo, top", // letters swapped: one slip, not two
    "sbumit, submit",
    "dataset lsit, list",
    "top --lsat, --last"
  })
  void aTypoSuggestsTheNearestWord(String typed, String meant) {
    CommandLineRun run = CommandLineRun.of(typed.split(" "));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("did you mean " + meant + "?");
  }

  @Test
  void anUnrelatedWordHasNoSuggestion() {
    assertThat(CommandLineRun.of("xyzzy").err()).doesNotContain("did you mean");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bash", "zsh", "fish"})
  void theScriptOfAShellKnowsTheCommandsAndTheirOptions(String shell) {
    CommandLineRun run = CommandLineRun.of("completion", shell);
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("doctor", "generate", "flows", "watch");
  }

  @Test
  void aGeneratedCaptureIsTheSameEachTimeAndCanBeDecoded(@TempDir Path directory) throws Exception {
    String first = directory.resolve("first.pcap").toString();
    String second = directory.resolve("second.pcap").toString();
    for (String file : List.of(first, second)) {
      CommandLineRun run =
          CommandLineRun.of("generate", "flows", file, "--rate", "100", "--seconds", "2");
      assertThat(run.err()).contains("4 switches");
      assertThat(run.status()).isZero();
    }
    assertThat(Files.readAllBytes(Path.of(first))).isEqualTo(Files.readAllBytes(Path.of(second)));
    CommandLineRun decoded = CommandLineRun.of("decode", first, "--format", "csv");
    assertThat(decoded.out().lines().count()).isBetween(150L, 250L);
  }
}
