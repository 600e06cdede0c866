package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The page of commands is the commands' own help. */
class CommandsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "commands.md");
  private static final Path MADE = Path.of("target", "commands.md");

  @Test
  void thePageSaysWhatTheCommandsSay() throws IOException {
    StringBuilder page =
        new StringBuilder(
            """
            # Commands

            Exit status 0 for success, 1 for a failure, 2 for bad usage or bad configuration. An error is one line
            on standard error; `--debug` adds the stack trace. Every command has `--help`.

            `./millrace bench`, `test`, `build`, `dist` and `format` exist only in the source tree.
            """);
    for (CommandLine command : leaves(new CommandLine(new MillraceCommand()))) {
      page.append("\n## ").append(command.getCommandSpec().qualifiedName()).append("\n\n```\n");
      page.append(command.setUsageHelpWidth(100).getUsageMessage(CommandLine.Help.Ansi.OFF));
      page.append("```\n");
    }
    Files.writeString(MADE, page);
    assertThat(PAGE)
        .as("rewrite it: cp documentation/target/commands.md docs/reference/commands.md")
        .hasContent(page.toString());
  }

  private static List<CommandLine> leaves(CommandLine command) {
    if (command.getSubcommands().isEmpty()) {
      return List.of(command);
    }
    List<CommandLine> leaves = new ArrayList<>();
    if (command.getCommand() instanceof Callable) {
      leaves.add(command); // it does something by itself, too
    }
    command.getSubcommands().values().stream().distinct().forEach(c -> leaves.addAll(leaves(c)));
    return leaves;
  }
}
