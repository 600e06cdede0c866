package io.millrace.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "completion",
    description = "Print a shell completion script for commands and options.",
    footer = {
      "",
      "  source <(millrace completion bash)       # zsh: first run autoload -U +X bashcompinit && bashcompinit",
      "  millrace completion fish > ~/.config/fish/completions/millrace.fish"
    })
final class CompletionCommand implements Runnable {
  enum Shell {
    BASH,
    ZSH,
    FISH
  }

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "bash|zsh|fish", description = "Name of the shell.")
  private Shell shell;

  @Override
  public void run() {
    CommandLine root = spec.root().commandLine();
    PrintWriter out = spec.commandLine().getOut();
    if (shell == Shell.FISH) {
      fish(root, List.of(), out);
    } else {
      out.print(AutoComplete.bash("millrace", root));
    }
    out.flush();
  }

  private static void fish(CommandLine command, List<String> path, PrintWriter out) {
    StringBuilder condition = new StringBuilder();
    path.forEach(
        name -> condition.append("__fish_seen_subcommand_from ").append(name).append("; and "));
    List<String> names = new ArrayList<>(command.getSubcommands().keySet());
    String only =
        names.isEmpty() ? "true" : "not __fish_seen_subcommand_from " + String.join(" ", names);
    String when = " -f -n '" + condition + only + "'";
    command
        .getSubcommands()
        .forEach(
            (name, sub) -> out.println("complete -c millrace" + when + " -a " + name + about(sub)));
    for (OptionSpec option : command.getCommandSpec().options()) {
      if (option.longestName().startsWith("--")) {
        out.println(
            "complete -c millrace -n '"
                + condition
                + only
                + "' -l "
                + option.longestName().substring(2));
      }
    }
    command
        .getSubcommands()
        .forEach(
            (name, sub) -> {
              List<String> longer = new ArrayList<>(path);
              longer.add(name);
              fish(sub, longer, out);
            });
  }

  private static String about(CommandLine command) {
    String[] lines = command.getCommandSpec().usageMessage().description();
    String text = lines.length == 0 ? "" : lines[0].replaceFirst("[.:;](\\s.*)?$", "");
    return text.isEmpty() ? "" : " -d '" + text.replace("'", "\\'").replace("%%", "%") + "'";
  }
}
