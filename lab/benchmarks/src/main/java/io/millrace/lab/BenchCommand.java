package io.millrace.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.Main;
import io.millrace.cli.console.RowCount;
import io.millrace.cli.console.Terminal;
import io.millrace.cli.console.UsageException;
import io.millrace.lab.ads.AdsBenchmark;
import io.millrace.lab.endtoend.FlowsBatchBenchmark;
import io.millrace.lab.endtoend.FlowsInFlightBenchmark;
import io.millrace.lab.gateways.GatewaysBenchmark;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.packets.PacketsBenchmark;
import io.millrace.lab.profile.Profile;
import io.millrace.lab.recovery.AppsRecoveryBenchmark;
import io.millrace.lab.recovery.RecoveryBenchmark;
import io.millrace.lab.siege.Attacks;
import io.millrace.lab.siege.SiegeBenchmark;
import io.millrace.lab.soak.SoakBenchmark;
import io.millrace.lab.trends.TrendsBenchmark;
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
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace bench}: measures this build on this machine. */
@Command(
    name = "millrace bench",
    mixinStandardHelpOptions = true,
    usageHelpAutoWidth = true,
    description = {
      "Measure this build on this machine: each benchmark checks that its result is right and"
          + " prints its figures beside their targets. Without a name all of them run but ads and"
          + " peers, which install other programs, recovery and recovery.apps, which start a cluster"
          + " and kill its processes, series and console.month, which keep their rows for the next time,"
          + " hitters.soak and trends.soak, which take minutes each, and siege, soak and week, which take as long"
          + " as you say; it takes some minutes and wants a machine that does nothing else."
    })
final class BenchCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** As a shell tells of Ctrl-C. */
  private static final int INTERRUPTED = 130;

  @Spec private CommandSpec spec;

  @Option(names = "--debug", description = "Show the stack trace of a failure.")
  private boolean debug;

  /** Runs the command line and ends the process with its status. */
  public static void main(String[] arguments) {
    Main.main(new CommandLine(new BenchCommand()), arguments);
  }

  @Parameters(
      arity = "0..*",
      paramLabel = "NAME",
      description =
          "Benchmarks to run; see --list. The parts of a name may be apart: recovery apps is"
              + " recovery.apps.")
  private List<String> names = new ArrayList<>();

  @Option(names = "--list", description = "Say which benchmarks there are.")
  private boolean list;

  @Option(names = "--json", description = "One JSON object a line, and nothing else.")
  private boolean json;

  @Option(
      names = "--rows",
      paramLabel = "N",
      converter = RowCount.class,
      description = "Rows, in place of each one's own: 500k, 10M, 1G.")
  private long rows;

  @Option(names = "--names", paramLabel = "N", description = "Names in the reverse-DNS set.")
  private long dnsNames;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Length of runs that last, and of each phase of siege.")
  private int seconds;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Samples a second for flows.latency, in place of half the highest rate, for recovery, in"
              + " place of four fifths of it, and for siege, in place of 50,000; packets a second for"
              + " recovery.apps, in place of 20,000.")
  private double rate;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Messages in a batch of flows.batch, in place of its list; may be repeated.")
  private List<Integer> batches = new ArrayList<>();

  @Option(
      names = "--blocks",
      paramLabel = "N",
      description = "Blocks on the way in flows.inflight, of its list; may be repeated.")
  private List<Integer> blocks = new ArrayList<>();

  @Option(
      names = "--case",
      paramLabel = "CASE",
      description =
          "A case of recovery: taskmanager, taskmanagers, broker, jobmanager, store, freeze or"
              + " network; of recovery.apps: decoder, classifier or tracker; or of gateways:"
              + " encodings, forms or intervals; may be repeated.")
  private List<String> cases = new ArrayList<>();

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      description =
          "An engine of ads: millrace, cluster (the same with a TaskManager for each subtask), or"
              + " flink, storm or spark, whose libraries are fetched at first use; may be repeated,"
              + " millrace and flink without.")
  private List<String> engines = new ArrayList<>();

  @Option(
      names = "--storm",
      description =
          "Beside packets.count, the same on Apache Storm, whose libraries are fetched at first"
              + " use.")
  private boolean storm;

  @Option(
      names = "--attack",
      paramLabel = "NAME",
      description =
          "An attack of siege, all for all at once or mix for some by chance; may be repeated. An"
              + " unknown name lists them.")
  private List<String> attacks = new ArrayList<>();

  @Option(
      names = "--way",
      paramLabel = "WAY",
      description =
          "A way of trends: stateful, stateless or engineless; may be repeated. All of them"
              + " without.")
  private List<String> ways = new ArrayList<>();

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads or subtasks of trends, 1 or 2.")
  private int threads;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "Length of runs that last, in minutes.")
  private int minutes;

  @Option(
      names = "--chaos",
      description =
          "soak: odd paths, time zones, languages, clock steps, damaged checkpoints, logs put back,"
              + " imports and kills, instead of floods.")
  private boolean chaos;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description =
          "Seed of what soak does by chance, and siege and recovery, which take another one each"
              + " time without.")
  private long seed;

  @Option(
      names = "--full",
      description =
          "All settings of hitters: 256 KiB and 4 MiB besides 1 MiB; of ads: loads in steps of"
              + " 10%%; of flows.query: tables of 1M to 40M rows; of trends: each way with one thread too; of samples: four times as many rows.")
  private boolean full;

  @Option(names = "--asn", paramLabel = "FILE", description = "AS table; the bundled one without.")
  private List<Path> asn = new ArrayList<>();

  @Option(
      names = "--profile",
      description =
          "Also draw which process uses which core, every half second, to profile-NAME.svg, and"
              + " stacks as a flame graph to flame-NAME.svg, in this directory.")
  private boolean profiled;

  @Option(names = "--data", paramLabel = "DIR", description = "Directory for files on the way.")
  private Path data;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    if (list) {
      int width = Benchmarks.all().stream().mapToInt(b -> names(b).length()).max().orElse(1);
      Benchmarks.all().forEach(b -> out.printf("%-" + width + "s  %s%n", names(b), b.what()));
      out.flush();
      return 0;
    }
    checkSizes();
    List<Benchmark> chosen = chosen();
    int status = 0;
    for (Benchmark benchmark : chosen) {
      try {
        if (!isRun(benchmark)) {
          return INTERRUPTED;
        }
      } catch (WrongResultException e) {
        spec.commandLine()
            .getErr()
            .println("millrace: " + benchmark.name() + ": " + e.getMessage());
        status = 1;
      }
    }
    return status;
  }

  /** Runs it; false if a signal has ended it, whatever it said of that. */
  private boolean isRun(Benchmark benchmark) throws Exception {
    try (ScratchDirectory scratch = scratch()) {
      try {
        BenchContext context =
            new BenchContext(
                scratch.path(),
                rows,
                dnsNames,
                minutes > 0 ? minutes * 60 : seconds,
                rate,
                batches,
                blocks,
                chaos ? List.of(SoakBenchmark.CHAOS) : cases(benchmark),
                seed,
                full,
                asn,
                this::print,
                this::tell,
                line -> progress(benchmark, line));
        run(benchmark, context);
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
      } finally { // a drawing of what there was is of use where a run was ended early
        profile.write().forEach(file -> tell("drawn: " + file));
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

  /** What of a benchmark was asked for, each with an option of its own. */
  private List<String> cases(Benchmark benchmark) {
    if (benchmark instanceof SiegeBenchmark) {
      return attacks;
    }
    if (benchmark instanceof AdsBenchmark) {
      return engines;
    }
    if (benchmark instanceof PacketsBenchmark) {
      return storm ? List.of(PacketsBenchmark.STORM) : List.of();
    }
    return benchmark instanceof TrendsBenchmark ? TrendsBenchmark.cases(ways, threads) : cases;
  }

  private static String rounded(Duration duration) {
    long minutes = (duration.toSeconds() + 30) / 60;
    return minutes <= 1 ? "a minute" : minutes + " minutes";
  }

  private static String names(Benchmark benchmark) {
    return String.join(", ", benchmark.figures());
  }

  private void checkSizes() {
    List<String> knownCases =
        Stream.of(RecoveryBenchmark.CASES, AppsRecoveryBenchmark.CASES, GatewaysBenchmark.CASES)
            .flatMap(List::stream)
            .toList();
    for (String name : cases) {
      if (!knownCases.contains(name)) {
        throw new UsageException("--case " + name + " is not one of " + knownCases);
      }
    }
    try {
      var unused = TrendsBenchmark.cases(ways, threads);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
    for (String name : attacks) {
      if (!Attacks.CASES.contains(name)) {
        throw new UsageException("--attack " + name + " is not one of " + Attacks.CASES);
      }
    }
    for (String name : engines) {
      if (!AdsBenchmark.ENGINES.contains(name)) {
        throw new UsageException("--engine " + name + " is not one of " + AdsBenchmark.ENGINES);
      }
    }
    for (int size : batches) {
      if (size < 1 || size > FlowsBatchBenchmark.MOST_MESSAGES) {
        throw new UsageException(
            "--batch " + size + " is not in 1 to " + FlowsBatchBenchmark.MOST_MESSAGES);
      }
    }
    for (int size : blocks) {
      if (!FlowsInFlightBenchmark.BLOCKS.contains(size)) {
        throw new UsageException(
            "--blocks " + size + " is not one of " + FlowsInFlightBenchmark.BLOCKS);
      }
    }
  }

  private ScratchDirectory scratch() throws IOException {
    return data == null
        ? ScratchDirectory.temporary("millrace-bench-")
        : ScratchDirectory.within(data, "bench-");
  }

  /** A name stands for the benchmark that prints figures under it. */
  private List<Benchmark> chosen() {
    List<Benchmark> all = Benchmarks.all(); // new ones at each call
    if (names.isEmpty()) {
      return all.stream().filter(b -> !b.isOnRequest()).toList();
    }
    List<Benchmark> chosen = new ArrayList<>();
    for (String name : joined(all)) {
      List<Benchmark> found = all.stream().filter(b -> b.figures().contains(name)).toList();
      if (found.isEmpty()) {
        throw new UsageException(
            "no benchmark "
                + name
                + "; there are "
                + all.stream()
                    .flatMap(b -> b.figures().stream())
                    .distinct()
                    .collect(Collectors.joining(", ")));
      }
      found.stream().filter(b -> !chosen.contains(b)).forEach(chosen::add);
    }
    return chosen;
  }

  /** The names that were asked for, two of them in one where a benchmark is called so. */
  private List<String> joined(List<Benchmark> all) {
    List<String> joined = new ArrayList<>();
    for (String name : names) {
      int last = joined.size() - 1;
      String both = last < 0 ? name : joined.get(last) + '.' + name;
      if (last >= 0 && all.stream().anyMatch(b -> b.figures().contains(both))) {
        joined.set(last, both);
      } else {
        joined.add(name);
      }
    }
    return joined;
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
