package io.millrace.bench.endtoend;

import io.millrace.analytics.keyed.Hash;
import io.millrace.bench.BenchContext;
import io.millrace.bench.Benchmark;
import io.millrace.bench.Figure;
import io.millrace.bench.WrongResultException;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.job.JobStatusReport;
import io.millrace.engine.operator.BlockJob;
import io.millrace.wire.block.TableBlock;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * What checkpoints cost: counters by key, 100 MB of them, updated at random as fast as two subtasks
 * can, with no checkpoint, and one every 10, 5 and 1 s.
 *
 * <p>One job runs through all of it and checkpoints are triggered from here, so that the settings
 * differ in nothing else; they take turns, so that what else the machine does hits all alike. The
 * ratio is one of medians over the rounds; {@code cpu_ratio} is that of rows a second of our own
 * processor time, which says the same on a quiet machine and something on a busy one. At the end
 * the job is restored, and must have every key and every count.
 */
public final class CheckpointBenchmark implements Benchmark {
  private static final int SLOTS = 2;
  private static final int BLOCK_ROWS = 4_096;
  private static final long STATE_BYTES = 100_000_000;
  private static final int ROUNDS = 3;
  private static final int SECONDS = 20;
  private static final int WARM_UP_SECONDS = 10;

  /** Seconds between two checkpoints; 0 for none. */
  private static final int[] INTERVALS = {0, 10, 5, 1};

  private static final long RESTORE_NANOS = Duration.ofMinutes(1).toNanos();
  private static final Duration NEVER = Duration.ofHours(24);
  private static final String JOB = "checkpoint-cost";
  private static final String STEP = "counts";

  @Override
  public String name() {
    return "checkpoint";
  }

  @Override
  public String what() {
    return "throughput with 100 MB of state by key, with checkpoints and without";
  }

  @Override
  public void run(BenchContext context) throws Exception {
    int keys = (int) context.rowsOr(STATE_BYTES / RandomCounts.ENTRY_BYTES);
    long counted;
    try (EmbeddedFlink flink = flink(context)) {
      EmbeddedJob job = flink.submit(JOB, SLOTS, job(keys));
      Slice.awaitKeys(job, keys);
      Slice.run(job, 0, Math.min(WARM_UP_SECONDS, context.secondsOr(SECONDS)));
      List<List<Slice>> slices = measure(context, job);
      report(context, slices, keys);
      counted = rows(job);
      job.checkpoint();
    }
    checkRestored(context, keys, counted);
  }

  private static EmbeddedFlink flink(BenchContext context) {
    EmbeddedFlink flink =
        new EmbeddedFlink(
            FlinkConfig.defaults().withSlots(SLOTS).withCheckpointInterval(NEVER),
            context.directory().resolve("checkpoints"));
    flink.start();
    return flink;
  }

  private static BlockJob<TableBlock> job(int keys) {
    BlockJob<TableBlock> blocks =
        BlockJob.generating(
            Long.MAX_VALUE,
            BlockTypeInfo.TABLES,
            SLOTS,
            (number, out) -> out.accept(RandomCounts.block(number, BLOCK_ROWS, keys)));
    return BlockJob.analyzeKeyed(
        blocks,
        (block, hashes) -> {
          long[] key = block.longs(0);
          for (int row = 0; row < block.rows(); row++) {
            hashes[row] = Hash.of(key[row]);
          }
        },
        STEP,
        BlockTypeInfo.TABLES,
        subtask -> new RandomCounts(keys));
  }

  private static List<List<Slice>> measure(BenchContext context, EmbeddedJob job) {
    List<List<Slice>> slices = new ArrayList<>();
    while (slices.size() < INTERVALS.length) {
      slices.add(new ArrayList<>());
    }
    for (int round = 1; round <= ROUNDS; round++) {
      for (int i = 0; i < INTERVALS.length; i++) {
        context.progress().accept("round " + round + ", every " + INTERVALS[i] + " s");
        slices.get(i).add(Slice.run(job, INTERVALS[i], context.secondsOr(SECONDS)));
      }
    }
    return slices;
  }

  private void report(BenchContext context, List<List<Slice>> slices, int keys) {
    double without = 0;
    for (int i = 0; i < INTERVALS.length; i++) {
      List<Slice> of = slices.get(i);
      double rate = Slice.median(of, Slice::rate);
      without = i == 0 ? rate : without;
      context.report(figure("rate", rate, "rows", i, keys));
      if (i > 0) {
        Figure ratio = figure("ratio", rate / without, "of none", i, keys);
        double target = INTERVALS[i] == 1 ? 0.95 : 0.98;
        context.report(ratio.aiming(Figure.Target.atLeast(target)));
        context.report(
            figure(
                "cpu_ratio",
                Slice.median(of, Slice::rowsPerCpuSecond)
                    / Slice.median(slices.get(0), Slice::rowsPerCpuSecond),
                "of none",
                i,
                keys));
        context.report(
            figure("pause_ms", Slice.median(of, Slice::pauseMillis), "ms", i, keys)
                .with("checkpoints", of.stream().mapToLong(Slice::checkpoints).sum()));
        context.report(
            figure("duration_ms", Slice.median(of, Slice::durationMillis), "ms", i, keys)
                .with("checkpoint_bytes", of.get(of.size() - 1).bytes()));
      }
    }
  }

  private Figure figure(String metric, double value, String unit, int setting, int keys) {
    return Figure.of(name(), metric, value, unit)
        .with("interval_s", INTERVALS[setting])
        .with("state_bytes", (long) keys * RandomCounts.ENTRY_BYTES)
        .with("subtasks", SLOTS)
        .with("rounds", ROUNDS);
  }

  private static long rows(EmbeddedJob job) {
    return counter(job.status(), RandomCounts.COUNTED);
  }

  private static long counter(JobStatusReport status, String name) {
    return status.counters().getOrDefault(STEP + "." + name, 0L);
  }

  /**
   * The state that comes back has all keys, and at least what was counted before its checkpoint.
   */
  private static void checkRestored(BenchContext context, int keys, long counted) {
    try (EmbeddedFlink flink = flink(context)) {
      EmbeddedJob job = flink.submit(JOB, SLOTS, job(keys));
      // One subtask may work while the other still reads its state.
      JobStatusReport status = job.status();
      long deadline = System.nanoTime() + RESTORE_NANOS;
      while (counter(status, RandomCounts.RESTORED_KEYS) < keys && System.nanoTime() < deadline) {
        LockSupport.parkNanos(Slice.LOOK_NANOS);
        status = job.status();
      }
      WrongResultException.check(
          "keys restored", keys, counter(status, RandomCounts.RESTORED_KEYS));
      long restored = counter(status, RandomCounts.RESTORED_COUNTS);
      if (restored < counted) {
        throw new WrongResultException(
            "counts restored: expected at least " + counted + ", got " + restored);
      }
    }
  }

  /** A stretch of time with one setting. */
  private record Slice(
      double rate,
      double rowsPerCpuSecond,
      long checkpoints,
      double pauseMillis,
      double durationMillis,
      long bytes) {
    private static final long LOOK_NANOS = 20_000_000;

    interface Value {
      double of(Slice slice);
    }

    static double median(List<Slice> slices, Value value) {
      return BenchContext.median(slices.stream().mapToDouble(value::of).toArray());
    }

    /** Waits until the job has all its keys. */
    static void awaitKeys(EmbeddedJob job, int keys) {
      while (rows(job) < keys / 2) {
        if (job.ended()) {
          throw new WrongResultException("the job has ended: " + job.status().failure());
        }
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }

    /** Processor time of this process; 0 where nobody tells. */
    private static long cpuNanos() {
      return ManagementFactory.getOperatingSystemMXBean()
              instanceof com.sun.management.OperatingSystemMXBean system
          ? system.getProcessCpuTime()
          : 0;
    }

    /** The first checkpoint comes after half an interval: every slice has its share of them. */
    static Slice run(EmbeddedJob job, int intervalSeconds, int seconds) {
      long start = System.nanoTime();
      long end = start + seconds * 1_000_000_000L;
      long interval = intervalSeconds * 1_000_000_000L;
      long next = intervalSeconds == 0 ? Long.MAX_VALUE : start + interval / 2;
      JobStatusReport before = job.status();
      long cpuBefore = cpuNanos();
      long checkpoints = 0;
      double durations = 0;
      long now = System.nanoTime();
      for (; now < end; now = System.nanoTime()) {
        if (now >= next) {
          job.checkpoint();
          checkpoints++;
          durations += (double) job.status().checkpoint().orElseThrow().duration().toMillis();
          next = Math.max(next + interval, System.nanoTime());
        } else {
          LockSupport.parkNanos(Math.min(LOOK_NANOS, Math.min(end, next) - now));
        }
      }
      JobStatusReport after = job.status();
      double elapsed = (System.nanoTime() - start) / 1e9;
      long snapshots = counter(after, "snapshots") - counter(before, "snapshots");
      long nanos = counter(after, "snapshotNanos") - counter(before, "snapshotNanos");
      long rows = counter(after, RandomCounts.COUNTED) - counter(before, RandomCounts.COUNTED);
      return new Slice(
          rows / elapsed,
          rows / ((cpuNanos() - cpuBefore) / 1e9),
          checkpoints,
          snapshots == 0 ? 0 : nanos / 1e6 / snapshots,
          checkpoints == 0 ? 0 : durations / checkpoints,
          after.checkpoint().map(JobStatusReport.CompletedCheckpoint::bytes).orElse(0L));
    }
  }
}
