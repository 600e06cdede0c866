package io.millrace.lab.series;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seconds;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Mixin;

/**
 * Measures the queries of the console's pages on an idle instance with a month of flows of many
 * exporters, which is the store that {@code series} builds and keeps.
 */
public final class MonthConsoleBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seconds secondsOption = new Seconds();

  private static final int SECONDS = 30;

  public MonthConsoleBenchmark() {
    super(
        "console.month",
        "queries of each page's first paint over HTTP, on 100 M rows of 500 exporters from series");
  }

  @Override
  public boolean isOnRequest() {
    return true;
  }

  @Override
  public Duration takes(BenchContext context) {
    return MonthOfFlows.takes(context, rowsOption.or(MonthOfFlows.ROWS)).plusMinutes(2);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    Path kept = MonthOfFlows.kept(context, rowsOption.or(MonthOfFlows.ROWS));
    Path data = Files.createDirectories(context.directory().resolve("data"));
    Files.createSymbolicLink(data.resolve("store"), kept);
    MillraceConfig config =
        ConsoleBenchmark.alone(context).withData(data).withSection(MonthOfFlows.config());
    try (Millrace millrace = new Millrace(config)) {
      millrace.start();
      PageAnswers answers = PageAnswers.ask(context, millrace, secondsOption.or(SECONDS));
      answers.report(context, name(), 0, millrace.table().rows());
    }
  }
}
