package io.millrace.cli;

import io.millrace.pulse.HostDefaults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** Writes manual pages of section 1, one per command, from the texts of {@code --help}. */
final class ManPages {
  private static final int SYNOPSIS_INDENT = 7;
  private static final int WIDTH = 78;

  private final StringBuilder page = new StringBuilder();

  private ManPages() {}

  /** Writes the pages into the directory given as the only argument; for the build of packages. */
  public static void main(String[] arguments) throws IOException {
    HostDefaults.set();
    for (Map.Entry<String, String> page : all().entrySet()) {
      Files.writeString(Path.of(arguments[0], page.getKey() + ".1"), page.getValue());
    }
  }

  /** Pages by name, such as millrace-dataset-list. */
  static Map<String, String> all() {
    Map<String, String> pages = new LinkedHashMap<>();
    add(new CommandLine(new MillraceCommand()), pages);
    return pages;
  }

  private static void add(CommandLine command, Map<String, String> pages) {
    if (!command.getCommandSpec().usageMessage().hidden()) {
      pages.put(name(command), new ManPages().page(command));
      command.getSubcommands().values().forEach(each -> add(each, pages));
    }
  }

  private static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName("-");
  }

  private String page(CommandLine command) {
    command.setUsageHelpWidth(WIDTH);
    CommandSpec spec = command.getCommandSpec();
    Help help = command.getHelp();
    line(".TH \"" + escaped(name(command).toUpperCase(Locale.ROOT)) + "\" 1 \"\" Millrace");
    section("NAME");
    text(name(command) + " - " + summary(command));
    section("SYNOPSIS");
    verbatim(help.synopsis(SYNOPSIS_INDENT).stripTrailing().lines().toList());
    section("DESCRIPTION");
    prose(spec.usageMessage().description());
    section("OPTIONS");
    spec.positionalParameters().forEach(each -> argument("", each, help));
    spec.options().forEach(each -> argument(String.join(", ", each.names()), each, help));
    if (!command.getSubcommands().isEmpty()) {
      section("COMMANDS");
      command
          .getSubcommands()
          .values()
          .forEach(each -> item(name(each) + "(1)", List.of(summary(each) + ".")));
    }
    if (spec.usageMessage().footer().length > 0) {
      section("EXAMPLES");
      prose(spec.usageMessage().footer());
    }
    section("EXIT STATUS");
    text("0 for success, 1 for a failure, 2 for bad usage or bad configuration.");
    section("ENVIRONMENT");
    text("MILLRACE_JAVA_OPTS has options of the Java virtual machine, such as -Xmx2g.");
    section("SEE ALSO");
    text((spec.parent() == null ? "" : name(spec.parent().commandLine()) + "(1), ") + "the pages");
    text("in docs/ of the package's documentation.");
    return page.toString();
  }

  /** First clause of a command's description. */
  private static String summary(CommandLine command) {
    String[] lines = command.getCommandSpec().usageMessage().description();
    return lines.length == 0 ? "" : formatted(lines[0]).replaceFirst("[.:;](\\s.*)?$", "");
  }

  private void argument(String names, ArgSpec argument, Help help) {
    if (!argument.hidden()) {
      String label =
          help.createDefaultParamLabelRenderer()
              .renderParameterLabel(argument, Help.Ansi.OFF, List.of())
              .toString();
      item(names + label, List.of(argument.description()));
    }
  }

  private void item(String term, List<String> description) {
    line(".TP");
    line(".B " + escaped(term));
    description.forEach(this::text);
  }

  /** Writes paragraphs; lines that begin with a space are literal commands. */
  private void prose(String[] lines) {
    List<String> typed = new ArrayList<>();
    for (String each : lines) {
      if (each.startsWith(" ")) {
        typed.add(formatted(each));
        continue;
      }
      verbatim(typed);
      typed.clear();
      if (each.isEmpty()) {
        line(".PP");
      } else {
        text(formatted(each));
      }
    }
    verbatim(typed);
  }

  private void verbatim(List<String> lines) {
    if (!lines.isEmpty()) {
      line(".nf");
      lines.forEach(each -> line(escaped(each)));
      line(".fi");
    }
  }

  private void section(String heading) {
    line(".SH " + heading);
  }

  private void text(String text) {
    text.lines().forEach(each -> line(escaped(each)));
  }

  private void line(String line) {
    page.append(line).append('\n');
  }

  /**
   * Formats a command's description, which is a format string; descriptions of arguments are
   * already formatted.
   */
  private static String formatted(String description) {
    return String.format(description);
  }

  private static String escaped(String text) {
    String escaped = text.replace("\\", "\\e").replace("-", "\\-");
    return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
  }
}
