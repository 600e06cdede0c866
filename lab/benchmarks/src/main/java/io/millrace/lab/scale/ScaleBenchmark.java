package io.millrace.lab.scale;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.CpuQuota;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.WrongResultException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * Measures the job's rate by number of TaskManagers, and query time by number of Trino workers.
 * Linux control groups limit each of these processes to a fraction of a core.
 */
public final class ScaleBenchmark extends Benchmark {
  enum Part {
    TASKS,
    TRINO,
    FILES
  }

  @Mixin private final Rows rowsOption = new Rows();

  @Option(
      names = "--part",
      paramLabel = "PART",
      description =
          "tasks: TaskManagers; trino: workers of Trino; files: a table's metadata by number of"
              + " files. May be repeated; all by default.")
  private List<Part> parts = List.of(Part.values());

  @Option(
      names = "--workers",
      paramLabel = "N,…",
      split = ",",
      converter = Count.class,
      description = "Numbers of TaskManagers or workers to compare; 1,2,4 by default.")
  private List<Integer> workers = List.of(1, 2, 4);

  @Option(
      names = "--quota",
      paramLabel = "CORES",
      converter = Quota.class,
      description =
          "Processor time of each TaskManager or worker, in cores, at least 0.05; 0.35 by default.")
  private double quota = 0.35;

  static final class Count implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      int number = text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : 0;
      if (number < 1 || number > MOST_WORKERS) {
        throw new TypeConversionException(text + ": expected 1 to " + MOST_WORKERS);
      }
      return number;
    }
  }

  static final class Quota implements ITypeConverter<Double> {
    @Override
    public Double convert(String text) {
      double cores =
          text.matches("[0-9]{0,3}(\\.[0-9]{1,6})?") ? Double.parseDouble("0" + text) : 0;
      if (cores < CpuQuota.LEAST_CORES) {
        throw new TypeConversionException(text + ": expected at least " + CpuQuota.LEAST_CORES);
      }
      return cores;
    }
  }

  private static final int MOST_WORKERS = 16;

  /** Rows per TaskManager before its limit, at most. */
  private static final long WARM_UP_ROWS = 3_000_000;

  private static final long TASK_ROWS = 4_000_000;
  private static final long TABLE_ROWS = 10_000_000;
  private static final int[] FILES = {1_000, 10_000, 100_000};

  /** Shorter runs have too few commits, one in five seconds, for a reliable rate. */
  private static final double SHORT_SECONDS = 20;

  private static final double EFFICIENCY = 0.85;

  /** Maximum processor time of Trino per query, relative to DuckDB. */
  private static final Map<String, Double> MOST_CPU =
      Map.of(TrinoWorkers.PAIRS, 6.0, TrinoWorkers.ADDRESS, 3.0);

  public ScaleBenchmark() {
    super("scale", "rate by number of TaskManagers, query time by number of Trino's workers");
  }

  @Override
  public boolean isOnRequest() {
    return true; // creates control groups and may download Trino
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofMinutes(
        4 + 4L * parts.stream().filter(p -> p != Part.FILES).count() * workers.size());
  }

  @Override
  public void run(BenchContext context) throws Exception {
    String limited = parts.equals(List.of(Part.FILES)) ? "" : limited();
    if (parts.contains(Part.FILES)) {
      files(context.within("files"));
    }
    if (parts.contains(Part.TASKS)) {
      tasks(context.within("tasks"), limited);
    }
    if (parts.contains(Part.TRINO)) {
      trino(context.within("trino"), limited);
    }
  }

  private static String limited() {
    try {
      return Quotas.check();
    } catch (IOException e) {
      throw new WrongResultException("processes cannot be limited here: " + e.getMessage());
    }
  }

  // ---- TaskManagers

  private void tasks(BenchContext context, String limited) throws IOException {
    say(
        context,
        "Each TaskManager is limited to %s of a core (%s) after warm-up. Not limited: Kafka, store,"
            + " JobManager. The log is filled first.",
        quota,
        limited);
    long rows = rowsOption.or(TASK_ROWS);
    List<String> table = new ArrayList<>();
    table.add(
        "TaskManagers       rows/s  ratio  efficiency  by time   processor time a row, µs:"
            + " TaskManagers  store  Kafka   cores: TaskManagers  store  Kafka  others");
    double first = 0;
    double firstCpu = 0;
    for (int number : workers) {
      TaskManagers.Outcome outcome;
      try (TaskManagers run = new TaskManagers(context.within("tm-" + number), number)) {
        outcome = run.run(Math.min(WARM_UP_ROWS, rows), rows, quota);
      }
      Look.Span span = outcome.span();
      first = first == 0 ? span.rate() / workers.get(0) : first;
      double ratio = span.rate() / first;
      double cpu = span.cpuOfOne(TaskManagers.TASK_MANAGERS);
      firstCpu = firstCpu == 0 ? cpu : firstCpu;
      table.add(
          String.format(
              Locale.ROOT,
              "%12d %,12.0f %6.2f %11.2f %8.2f %38.2f %6.2f %6.2f %21.2f %6.2f %6.2f %7.2f",
              number,
              span.rate(),
              ratio,
              ratio / number,
              firstCpu / cpu,
              micros(span, TaskManagers.TASK_MANAGERS),
              micros(span, TaskManagers.STORE),
              micros(span, TaskManagers.KAFKA),
              span.cores(TaskManagers.TASK_MANAGERS),
              span.cores(TaskManagers.STORE),
              span.cores(TaskManagers.KAFKA),
              span.coresOfOthers()));
      if (outcome.isWhole()) {
        say(context, "too few rows: the measurement includes the start; use more --rows");
      }
      if (span.seconds() < SHORT_SECONDS) {
        say(context, "%d: measured only for %.0f s; use more --rows", number, span.seconds());
      }
      report(context, outcome, number, ratio);
      figure(context, Part.TASKS, number, "cpu_efficiency", firstCpu / cpu, "of linear");
    }
    table.forEach(context.lines());
  }

  private void report(
      BenchContext context, TaskManagers.Outcome outcome, int number, double ratio) {
    Look.Span span = outcome.span();
    figure(context, Part.TASKS, number, "rate", span.rate(), "rows");
    figure(context, Part.TASKS, number, "seconds", span.seconds(), "s");
    efficiency(context, Part.TASKS, number, ratio);
    for (String process :
        List.of(
            TaskManagers.TASK_MANAGERS,
            TaskManagers.STORE,
            TaskManagers.KAFKA,
            TaskManagers.JOB_MANAGER)) {
      use(context, span, Part.TASKS, number, process, "us_per_row", micros(span, process));
      double done = span.done();
      Figure in =
          of(
              Part.TASKS,
              number,
              "read_bytes_per_row",
              span.use().get(process).readBytes() / done,
              "bytes");
      Figure out =
          of(
              Part.TASKS,
              number,
              "written_bytes_per_row",
              span.use().get(process).writtenBytes() / done,
              "bytes");
      context.report(in.with("process", process));
      context.report(out.with("process", process));
    }
    figure(context, Part.TASKS, number, "other_cores", span.coresOfOthers(), "cores");
    figure(context, Part.TASKS, number, "value_bytes_per_row", outcome.valueBytesPerRow(), "bytes");
    figure(context, Part.TASKS, number, "log_bytes_per_row", outcome.logBytesPerRow(), "bytes");
    figure(context, Part.TASKS, number, "file_bytes_per_row", outcome.fileBytesPerRow(), "bytes");
  }

  private static double micros(Look.Span span, String process) {
    return span.cpuOfOne(process) * 1e6;
  }

  // ---- Trino

  private void trino(BenchContext context, String limited) throws Exception {
    say(
        context,
        "Each worker of Trino is limited to %s of a core (%s) after warm-up. Not limited: the"
            + " coordinator, which does not process splits, and the instance with the catalog.",
        quota,
        limited);
    long rows = rowsOption.or(TABLE_ROWS);
    List<String> table = new ArrayList<>();
    table.add(
        "workers   seconds  ratio  efficiency  by time   processor time a query, s: workers  coordinator "
            + " instance   cores: workers  others");
    try (TrinoWorkers run = new TrinoWorkers(context, rows)) {
      run.fill();
      double first = 0;
      double firstCpu = 0;
      for (int number : workers) {
        TrinoWorkers.Outcome outcome = run.run(number, quota);
        Look.Span span = outcome.span();
        double seconds = outcome.seconds();
        first = first == 0 ? seconds * workers.get(0) : first;
        double ratio = first / seconds;
        double cpu = span.cpuOfOne(TrinoWorkers.WORKERS);
        firstCpu = firstCpu == 0 ? cpu : firstCpu;
        table.add(
            String.format(
                Locale.ROOT,
                "%7d %9.2f %6.2f %11.2f %8.2f %35.2f %12.2f %9.2f %16.2f %7.2f",
                number,
                seconds,
                ratio,
                ratio / number,
                firstCpu / cpu,
                span.cpuOfOne(TrinoWorkers.WORKERS),
                span.cpuOfOne(TrinoWorkers.COORDINATOR),
                span.cpuOfOne(TrinoWorkers.INSTANCE),
                span.cores(TrinoWorkers.WORKERS),
                span.coresOfOthers()));
        figure(context, Part.TRINO, number, "latency_ms", seconds * 1_000, "ms");
        efficiency(context, Part.TRINO, number, ratio);
        figure(context, Part.TRINO, number, "cpu_efficiency", firstCpu / cpu, "of linear");
        for (String process :
            List.of(TrinoWorkers.WORKERS, TrinoWorkers.COORDINATOR, TrinoWorkers.INSTANCE)) {
          use(context, span, Part.TRINO, number, process, "s_per_query", span.cpuOfOne(process));
        }
        double read = span.use().get(TrinoWorkers.WORKERS).readBytes();
        figure(
            context, Part.TRINO, number, "read_bytes_per_row", read / span.done() / rows, "bytes");
        figure(context, Part.TRINO, number, "other_cores", span.coresOfOthers(), "cores");
        outcome.unlimited().forEach((query, both) -> compare(context, number, query, both));
      }
    }
    table.forEach(context.lines());
  }

  private void compare(BenchContext context, int number, String query, TrinoWorkers.Cpu cpu) {
    Stream.of(
            of(Part.TRINO, number, "trino_cpu_s", cpu.trinoSeconds(), "s"),
            of(Part.TRINO, number, "duckdb_cpu_s", cpu.duckDbSeconds(), "s"),
            of(Part.TRINO, number, "cpu_ratio", cpu.trinoSeconds() / cpu.duckDbSeconds(), "times")
                .aiming(Target.atMost(MOST_CPU.get(query))))
        .forEach(figure -> context.report(figure.with("query", query)));
  }

  // ---- files

  private void files(BenchContext context) throws Exception {
    List<String> table = new ArrayList<>();
    table.add(
        "  files   processor time, ms: commit  plan a day  plan all   bytes: manifests a file"
            + "  metadata a snapshot");
    TableFiles run = new TableFiles(context);
    for (int files : FILES) {
      context.progress().accept("a table of %,d files".formatted(files));
      TableFiles.Outcome outcome = run.run(files);
      table.add(
          String.format(
              Locale.ROOT,
              "%,7d %26.1f %11.1f %9.1f %24.0f %20.0f",
              files,
              outcome.commitMillis(),
              outcome.planDayMillis(),
              outcome.planWeekMillis(),
              outcome.manifestBytes(),
              outcome.snapshotBytes()));
      Map<String, Double> millis = new LinkedHashMap<>();
      millis.put("commit_cpu_ms", outcome.commitMillis());
      millis.put("plan_day_cpu_ms", outcome.planDayMillis());
      millis.put("plan_all_cpu_ms", outcome.planWeekMillis());
      millis.forEach((metric, value) -> context.report(ofFiles(files, metric, value, "ms")));
      context.report(ofFiles(files, "manifest_bytes_per_file", outcome.manifestBytes(), "bytes"));
      context.report(ofFiles(files, "bytes_per_snapshot", outcome.snapshotBytes(), "bytes"));
      context.report(ofFiles(files, "files_of_day", outcome.filesOfDay(), "files"));
    }
    table.forEach(context.lines());
  }

  private Figure ofFiles(int files, String metric, double value, String unit) {
    return Figure.of(name(), metric, value, unit).with("part", "files").with("files", files);
  }

  // ---- figures

  private static void say(BenchContext context, String format, Object... values) {
    context.lines().accept(String.format(Locale.ROOT, format, values));
  }

  private Figure of(Part part, int number, String metric, double value, String unit) {
    return Figure.of(name(), metric, value, unit)
        .with("part", part.name().toLowerCase(Locale.ROOT))
        .with("workers", number)
        .with("quota", quota)
        .with("rows", rowsOption.or(part == Part.TASKS ? TASK_ROWS : TABLE_ROWS));
  }

  private void figure(
      BenchContext context, Part part, int number, String metric, double value, String unit) {
    context.report(of(part, number, metric, value, unit));
  }

  private void efficiency(BenchContext context, Part part, int number, double ratio) {
    figure(context, part, number, "ratio", ratio, "times");
    Figure efficiency = of(part, number, "efficiency", ratio / number, "of linear");
    context.report(
        number == workers.get(0) ? efficiency : efficiency.aiming(Target.atLeast(EFFICIENCY)));
  }

  private void use(
      BenchContext context,
      Look.Span span,
      Part part,
      int number,
      String process,
      String each,
      double cpu) {
    context.report(
        of(part, number, "cpu_" + each, cpu, each.split("_", 2)[0]).with("process", process));
    context.report(
        of(part, number, "cores", span.cores(process), "cores").with("process", process));
  }
}
