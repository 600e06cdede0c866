package io.millrace.lab.micro;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.windows.SlidingSums;
import io.millrace.analytics.windows.SlidingWindows;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.WrongResultException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import picocli.CommandLine.Mixin;

/**
 * Cost per row of sums over sliding windows of 1, 10, 60 and 600 slides, on one thread. There is a
 * row per microsecond, a slide per ten thousand rows, and a thousand keys. The figure includes the
 * emission of the windows. It is processor time, so that load by other processes counts less.
 */
public final class WindowsBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  private static final int[] SLIDES_A_WINDOW = {1, 10, 60, 600};
  private static final long SLIDE = 10_000;
  private static final int KEYS = 1_000;

  /** Enough that the longest window is full for most of a round. */
  private static final long ROWS = 16_000_000;

  private static final int ROUNDS = 3;

  public WindowsBenchmark() {
    super(
        "analytics.windows",
        "nanoseconds per row of sums over sliding windows, by slides per window");
  }

  @Override
  public void run(BenchContext context) throws Exception {
    long rows = rowsOption.or(ROWS);
    for (int slides : SLIDES_A_WINDOW) {
      context.progress().accept("slides per window: " + slides);
      double[] rounds = new double[1 + ROUNDS];
      for (int round = 0; round < rounds.length; round++) {
        rounds[round] = round(new SlidingWindows(slides * SLIDE, SLIDE), rows);
      }
      double[] warm = Arrays.copyOfRange(rounds, 1, rounds.length);
      context.report(
          Figure.of(name(), "ns_per_row", BenchContext.median(warm), "ns")
              .with("slides_per_window", slides)
              .with("keys", KEYS)
              .with("rows", rows)
              .with("rounds", ROUNDS));
    }
  }

  private static double round(SlidingWindows windows, long rows) throws Exception {
    SlidingSums sums = new SlidingSums(KeyGroups.all(), windows, 2);
    Total total = new Total();
    long[] amounts = {1, 0};
    ThreadMXBean thread = ManagementFactory.getThreadMXBean();
    long start = thread.getCurrentThreadCpuTime();
    for (long row = 0; row < rows; row++) {
      if (row % SLIDE == 0) {
        sums.advance(row - 1, total);
      }
      long key = row * 0x9E37_79B9L % KEYS;
      amounts[1] = row;
      sums.add(row, Hash.of(key, 0), key, 0, amounts);
    }
    sums.advance(Long.MAX_VALUE, total);
    double nanos = thread.getCurrentThreadCpuTime() - start;
    long slides = windows.size() / windows.slide();
    WrongResultException.check("rows in all windows", rows * slides, total.rows);
    WrongResultException.check("sum of all windows", rows * (rows - 1) / 2 * slides, total.sum);
    return nanos / rows;
  }

  private static final class Total implements SlidingSums.Handler {
    private long rows;
    private long sum;

    @Override
    public void window(long end, KeyTable sums) {
      for (int entry = 0; entry < sums.size(); entry++) {
        rows += sums.values(0)[entry];
        sum += sums.values(1)[entry];
      }
    }
  }
}
