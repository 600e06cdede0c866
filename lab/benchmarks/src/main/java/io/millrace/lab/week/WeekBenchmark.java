package io.millrace.lab.week;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rate;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.WrongResultException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Mixin;

/** A week of flows in an hour, to check that a store that keeps a day of rows stays stable. */
public final class WeekBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Rate rateOption = new Rate();

  private static final int SECONDS = 3_600;
  private static final double ROWS_PER_SECOND = 20_000;

  private static final int DAYS = 7;

  /** First day after all retention periods have passed once. */
  private static final int LEVEL_FROM = 4;

  public WeekBenchmark() {
    super(
        "week", "a week's flows in --minutes (60): size, memory, freshness and latency stay level");
  }

  @Override
  public boolean isOnRequest() {
    return true;
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(secondsOption.or(SECONDS));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    int seconds = secondsOption.or(SECONDS);
    double rate = rateOption.value() > 0 ? rateOption.value() : ROWS_PER_SECOND;
    long rows = rowsOption.or((long) (rate * seconds));
    List<Day> days = new ArrayList<>();
    context.lines().accept(Day.header());
    try (WeekRun run = new WeekRun(context.directory().resolve("store"), rows, seconds)) {
      run.start();
      for (int day = 1; day <= DAYS; day++) {
        Day seen = run.awaitDay(day);
        days.add(seen);
        context.lines().accept(seen.line());
        report(context, seen, rows, seconds);
      }
      run.check();
    }
    List<String> grew = Level.growth(days.subList(LEVEL_FROM - 1, DAYS));
    if (!grew.isEmpty()) {
      throw new WrongResultException("not level: " + String.join("; ", grew));
    }
    context.lines().accept("level from day " + LEVEL_FROM + " on");
  }

  private void report(BenchContext context, Day day, long rows, int seconds) {
    report(context, day, rows, seconds, "store_bytes", (double) day.storeBytes(), "bytes");
    report(context, day, rows, seconds, "memory_bytes", (double) day.usedBytes(), "bytes");
    report(context, day, rows, seconds, "freshness_ms", day.freshMillis(), "ms");
    report(context, day, rows, seconds, "latency_ms", day.queryMillis(), "ms");
    report(context, day, rows, seconds, "latency_worst_ms", day.queryWorstMillis(), "ms");
    report(context, day, rows, seconds, "append_worst_ms", day.appendWorstMillis(), "ms");
  }

  private void report(
      BenchContext context,
      Day day,
      long rows,
      int seconds,
      String metric,
      double value,
      String unit) {
    context.report(
        Figure.of(name(), metric, value, unit)
            .with("day", day.number())
            .with("rows", rows)
            .with("minutes", TimeUnit.SECONDS.toMinutes(seconds)));
  }
}
