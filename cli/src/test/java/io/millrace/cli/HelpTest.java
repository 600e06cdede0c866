package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class HelpTest {
  @Test
  void helpOfAllCommandsPrintsNoWarnings() {
    List<CommandLine> commands = new ArrayList<>();
    add(new CommandLine(new MillraceCommand()), commands);
    assertThat(commands).hasSizeGreaterThan(20);
    PrintStream before = System.err;
    for (CommandLine command : commands) {
      String name = command.getCommandSpec().qualifiedName();
      ByteArrayOutputStream printed = new ByteArrayOutputStream();
      System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
      try {
        assertThat(command.getUsageMessage(CommandLine.Help.Ansi.OFF)).contains("Usage: " + name);
      } finally {
        System.setErr(before);
      }
      assertThat(printed.toString(StandardCharsets.UTF_8)).as("help of %s", name).isEmpty();
    }
  }

  private static void add(CommandLine command, List<CommandLine> commands) {
    commands.add(command);
    command.getSubcommands().values().stream().distinct().forEach(each -> add(each, commands));
  }
}
