package io.millrace.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.Main;
import io.millrace.cli.console.EnumWords;
import io.millrace.cli.console.Terminal;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.profile.Profile;
import io.millrace.pulse.HostDefaults;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Command {@code ./millrace bench}: benchmarks as subcommands, and their common options. */
@Command(
    name = "millrace bench",
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "[NAME]...",
    description = {
      "Measure this build on this machine. Each benchmark checks its result and prints its figures"
          + " with their targets. Without a name, run all benchmarks that install nothing, keep no"
          + " files and end by themselves; this takes several minutes on an idle machine. bench"
          + " NAME --help prints the options of a benchmark."
    })
final class LabCommand {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Exit status that a shell reports for Ctrl-C. */
  private static final int INTERRUPTED = 130;

  @Spec private CommandSpec spec;

  @Option(names = "--list", description = "List the benchmarks.")
  private boolean list;

  @Option(
      names = "--json",
      scope = ScopeType.INHERIT,
      description = "Print one JSON object per line, and nothing else.")
  private boolean json;

  @Option(
      names = "--profile",
      scope = ScopeType.INHERIT,
      description =
          "Also write the use of each core by process, every half second, to profile-NAME.svg, and"
              + " a flame graph of stacks to flame-NAME.svg, both in this directory.")
  private boolean profiled;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      scope = ScopeType.INHERIT,
      description = "Directory for temporary files.")
  private Path data;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of a failure.")
  boolean debug;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help message and exit.")
  boolean help;

  /** Runs the command line and ends the process with its status. */
  public static void main(String[] arguments) {
    HostDefaults.set();
    Main.main(commandLine(), arguments);
  }

  static CommandLine commandLine() {
    LabCommand lab = new LabCommand();
    CommandLine line = new CommandLine(lab);
    for (Benchmark benchmark : Benchmarks.all()) {
      CommandLine command = new CommandLine(benchmark);
      command.getCommandSpec().usageMessage().description(benchmark.what());
      List<String> aliases = new ArrayList<>(benchmark.figures());
      aliases.remove(benchmark.name());
      line.addSubcommand(benchmark.name(), command, aliases.toArray(String[]::new));
    }
    return line.setExecutionStrategy(lab::execute);
  }

  private int execute(ParseResult parsed) {
    Integer helped = CommandLine.executeHelpRequest(parsed);
    if (helped != null) {
      return helped;
    }
    if (list) {
      list();
      return 0;
    }
    int status = 0;
    for (Benchmark benchmark : chosen(parsed)) {
      try {
        if (!isRun(benchmark)) {
          return INTERRUPTED;
        }
      } catch (WrongResultException e) {
        spec.commandLine()
            .getErr()
            .println("millrace: " + benchmark.name() + ": " + e.getMessage());
        status = 1;
      } catch (Exception e) {
        throw new ExecutionException(spec.commandLine(), e.getMessage(), e);
      }
    }
    return status;
  }

  private void list() {
    PrintWriter out = spec.commandLine().getOut();
    int width = Benchmarks.all().stream().mapToInt(b -> names(b).length()).max().orElse(1);
    Benchmarks.all().forEach(b -> out.printf("%-" + width + "s  %s%n", names(b), b.what()));
    out.flush();
  }

  /** Parses all options before the first benchmark runs, to reject unsupported ones early. */
  private List<Benchmark> chosen(ParseResult parsed) {
    if (!parsed.hasSubcommand()) {
      return Benchmarks.all().stream().filter(b -> !b.isOnRequest()).toList();
    }
    Benchmark first = (Benchmark) parsed.subcommand().commandSpec().userObject();
    List<Benchmark> chosen = new ArrayList<>(List.of(first));
    List<String> options = new ArrayList<>(parsed.originalArgs());
    options.removeAll(parsed.subcommand().commandSpec().names());
    options.removeAll(first.more());
    for (String name : first.more()) {
      List<String> words = new ArrayList<>(List.of(name));
      words.addAll(options);
      CommandLine line = commandLine().setErr(spec.commandLine().getErr());
      EnumWords.register(line);
      ParseResult other = line.parseArgs(words.toArray(String[]::new));
      Benchmark benchmark = (Benchmark) other.subcommand().commandSpec().userObject();
      if (chosen.stream().noneMatch(b -> b.name().equals(benchmark.name()))) {
        chosen.add(benchmark);
      }
    }
    return chosen;
  }

  /** Runs a benchmark; returns false if a signal ended it, regardless of the exception. */
  private boolean isRun(Benchmark benchmark) throws Exception {
    try (ScratchDirectory scratch = scratch()) {
      try {
        run(
            benchmark,
            new BenchContext(
                scratch.path(), this::print, this::tell, line -> progress(benchmark, line)));
      } catch (Exception e) {
        if (!scratch.isEnding()) {
          throw e;
        }
        return false;
      }
    }
    return true;
  }

  private void run(Benchmark benchmark, BenchContext context) throws Exception {
    if (!profiled) {
      announceAndRun(benchmark, context);
      return;
    }
    try (Profile profile = new Profile(benchmark.name(), context.directory(), Path.of(""))) {
      try {
        announceAndRun(benchmark, context);
      } finally { // an incomplete profile is useful too
        profile.write().forEach(file -> tell("written: " + file));
      }
    }
  }

  private void announceAndRun(Benchmark benchmark, BenchContext context) throws Exception {
    if (!json) {
      spec.commandLine()
          .getErr()
          .println(benchmark.name() + ": takes about " + rounded(benchmark.takes(context)));
    }
    benchmark.run(context);
  }

  private static String rounded(Duration duration) {
    long minutes = (duration.toSeconds() + 30) / 60;
    return minutes <= 1 ? "a minute" : minutes + " minutes";
  }

  private static String names(Benchmark benchmark) {
    return String.join(", ", benchmark.figures());
  }

  private ScratchDirectory scratch() throws IOException {
    return data == null
        ? ScratchDirectory.temporary("millrace-bench-")
        : ScratchDirectory.within(data, "bench-");
  }

  private void print(Figure figure) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("bench", figure.bench());
      line.put("metric", figure.metric());
      line.put("value", figure.value());
      line.put("unit", figure.unit());
      line.put("params", figure.params());
      try {
        out.println(JSON.writeValueAsString(line));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    } else {
      String target =
          figure
              .target()
              .map(
                  t ->
                      String.format(
                          Locale.ROOT,
                          "%s %s: %s",
                          t.atLeast() ? "≥" : "≤",
                          number(t.bound()),
                          t.isMetBy(figure.value()) ? "met" : "MISSED"))
              .orElse("");
      out.printf(
          Locale.ROOT,
          "%-20s %-14s %18s %-9s %-28s %s%n",
          figure.bench(),
          figure.metric(),
          number(figure.value()),
          figure.unit() + (figure.metric().equals("rate") ? "/s" : ""),
          target,
          figure.params());
    }
    out.flush();
  }

  /** Shares need more digits than rates do. */
  private static String number(double value) {
    String pattern = Math.abs(value) < 10 ? "#,##0.###" : "#,##0.#";
    return new DecimalFormat(pattern, DecimalFormatSymbols.getInstance(Locale.ROOT)).format(value);
  }

  private void tell(String line) {
    if (!json) {
      spec.commandLine().getOut().println(line);
      spec.commandLine().getOut().flush();
    }
  }

  private void progress(Benchmark benchmark, String line) {
    if (Terminal.isStandardError()) {
      spec.commandLine().getErr().println("  " + benchmark.name() + ": " + line);
    }
  }
}
