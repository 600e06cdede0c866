package io.millrace.cli;

import io.millrace.analytics.trend.Trend;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.cli.config.Units;
import io.millrace.cli.console.RowCount;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.print.Plural;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import io.millrace.pipelines.trends.KeywordFile;
import io.millrace.pipelines.trends.TrendShards;
import io.millrace.pipelines.trends.TrendTotals;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "trends",
    description = {
      "Find rising keywords in files, without an instance: hourly page views of Wikipedia "
          + "(pageviews-….gz or pagecounts-….gz), or lines keyword,time[,count]. Files are "
          + "read in the given order, which must be chronological. The count of a "
          + "keyword is compared with its mean over the preceding buckets; see docs/trends.md."
    },
    footer = {
      "",
      "  millrace trends pageviews-20260101-*.gz -n 20",
      "  millrace trends searches.csv --bucket 5m --format csv",
      "  millrace trends --records pageviews-20260101-*.gz | millrace ingest keywords -"
    })
final class TrendsCommand implements Callable<Integer> {
  private static final TrendSettings DEFAULTS = TrendSettings.defaults();
  private static final int MAX_THREADS = 64;

  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files, gzipped if .gz.")
  private List<Path> files;

  @Option(
      names = "--bucket",
      paramLabel = "1m",
      description =
          "Bucket width, 1s to 1d; an hour for page views, else a minute by" + " default.")
  private String bucket;

  @Option(
      names = "--buckets",
      paramLabel = "N",
      description = "Number of preceding buckets averaged, 1 to 60; 5 by default.")
  private int buckets = DEFAULTS.buckets();

  @Option(
      names = "--baseline",
      paramLabel = "recent|usual",
      description =
          "Baseline of a count: recent (mean of the preceding buckets) or usual (same hour of past "
              + "weeks, once seven days are known); recent by default.")
  private TrendSettings.Baseline baseline = DEFAULTS.baseline();

  @Option(
      names = "--eta",
      paramLabel = "N",
      description =
          "Score threshold: the excess over the expectation in half-widths of its Poisson "
              + "interval; 2.5 by default.")
  private double eta = DEFAULTS.eta();

  @Option(
      names = "--confidence",
      paramLabel = "P",
      description = "Confidence of that interval, above 0 and below 1; 0.99 by default.")
  private double confidence = DEFAULTS.confidence();

  @Option(
      names = "--prior",
      paramLabel = "N",
      description =
          "Minimum expectation of a keyword per bucket, also used for new keywords; 1 by default.")
  private double prior = DEFAULTS.prior();

  @Option(
      names = "--factor",
      paramLabel = "N",
      description = "Minimum ratio of count to expectation, at least 1; 1.5 by default.")
  private double factor = DEFAULTS.factor();

  @Option(names = "--falls", description = "Also report falling keywords.")
  private boolean falls;

  @Option(
      names = {"--watermark-delay", "--lateness"},
      paramLabel = "T",
      description =
          "Delay of the watermark after the newest line; older lines are late: dropped and "
              + "counted. 0 by default.")
  private String watermarkDelay = "0";

  @Option(
      names = "--keywords",
      paramLabel = "N",
      converter = RowCount.class,
      description = "Keywords kept in memory, at least 1024; 1048576 by default.")
  private long keywords = DEFAULTS.keywords();

  @Option(
      names = "--threads",
      paramLabel = "N",
      description =
          "Threads, 1 to 64; the number of processors by default. The result is the same.")
  private int threads = Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors());

  @Option(
      names = "-n",
      paramLabel = "N",
      description = "Rows per bucket, highest score first; 10 by default.")
  private int n = 10;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}; table by default.")
  private RowFormat format = RowFormat.TABLE;

  @Option(
      names = "--records",
      description =
          "Print the keywords as records for millrace ingest keywords, without detection.")
  private boolean isOfRecords;

  @Override
  public Integer call() throws Exception {
    for (Path file : files) {
      if (!Files.isRegularFile(file)) {
        throw new IOException(file + ": no such file");
      }
    }
    if (isOfRecords) {
      return printRecords();
    }
    RowPrinter printer = RowPrinter.of(format, spec.commandLine().getOut());
    long late;
    try {
      late = Units.nanos(watermarkDelay) / 1_000;
    } catch (IllegalArgumentException e) {
      throw new UsageException("--watermark-delay " + e.getMessage());
    }
    if (threads < 1 || threads > MAX_THREADS || n < 1) {
      throw new UsageException("--threads must be 1 to " + MAX_THREADS + ", -n at least 1");
    }
    try (TrendShards shards =
        new TrendShards(
            settings(),
            late,
            threads,
            trends -> trends.stream().limit(n).forEach(trend -> print(trend, printer)))) {
      header(printer);
      Map<KeywordFile.Reject, Long> rejects = read(shards::add);
      TrendTotals totals = shards.finish();
      printer.end();
      report(totals, rejects);
    }
    return 0;
  }

  private Map<KeywordFile.Reject, Long> read(KeywordFile.Sink sink) throws Exception {
    Map<KeywordFile.Reject, Long> rejects = new EnumMap<>(KeywordFile.Reject.class);
    for (Path path : files) {
      KeywordFile file = new KeywordFile(path, sink);
      file.read();
      file.rejects().forEach((reason, lines) -> rejects.merge(reason, lines, Long::sum));
    }
    return rejects;
  }

  private int printRecords() throws Exception {
    RowPrinter records = RowPrinter.of(RowFormat.JSON, spec.commandLine().getOut());
    records.header(
        List.of(
            new RowPrinter.Column("time", false),
            new RowPrinter.Column("keyword", false),
            new RowPrinter.Column("count", true)));
    Map<KeywordFile.Reject, Long> rejects =
        read(
            (utf8, offset, length, micros, count) ->
                records.row(
                    new String[] {
                      time(micros),
                      new String(utf8, offset, length, StandardCharsets.UTF_8),
                      Long.toString(count)
                    }));
    records.end();
    report(rejects);
    return 0;
  }

  private static String time(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
  }

  private TrendSettings settings() {
    try {
      boolean hours = files.stream().allMatch(file -> new KeywordFile(file, null).isPageViews());
      Duration length =
          bucket != null
              ? Duration.ofNanos(Units.nanos(bucket))
              : hours ? Duration.ofHours(1) : DEFAULTS.bucket();
      return new TrendSettings(
          length,
          baseline,
          buckets,
          confidence,
          eta,
          prior,
          factor,
          falls,
          (int) Math.min(Integer.MAX_VALUE, keywords),
          DEFAULTS.seed());
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private static void header(RowPrinter printer) {
    printer.header(
        List.of(
            new RowPrinter.Column("bucket", false),
            new RowPrinter.Column("keyword", false),
            new RowPrinter.Column("count", true),
            new RowPrinter.Column("expectation", true),
            new RowPrinter.Column("lower", true),
            new RowPrinter.Column("upper", true),
            new RowPrinter.Column("score", true),
            new RowPrinter.Column("kind", false),
            new RowPrinter.Column("series", false)));
  }

  private static void print(Trend trend, RowPrinter printer) {
    printer.row(
        new String[] {
          time(trend.begin()),
          trend.keyword(),
          Long.toString(trend.count()),
          number(trend.expectation()),
          number(trend.lower()),
          number(trend.upper()),
          number(trend.score()),
          trend.kind().label(),
          trend.series().stream().map(String::valueOf).collect(Collectors.joining(" "))
        });
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  private void report(TrendTotals totals, Map<KeywordFile.Reject, Long> rejects) {
    PrintWriter err = spec.commandLine().getErr();
    if (format == RowFormat.TABLE) {
      err.println(Plural.of(totals.counted(), "line") + " counted");
    }
    report(totals.late(), "dropped as late; see --watermark-delay");
    report(totals.crowdedOut(), "dropped, table full; see --keywords");
    report(rejects);
  }

  private void report(Map<KeywordFile.Reject, Long> rejects) {
    rejects.forEach((reason, lines) -> report(lines, reason.label() + " dropped"));
  }

  private void report(long lines, String what) {
    if (lines > 0) {
      spec.commandLine().getErr().println(Plural.of(lines, "line") + " " + what);
    }
  }
}
