package io.millrace.lab.endtoend;

import io.millrace.analytics.keyed.Hash;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.job.JobStatusReport;
import io.millrace.engine.operator.BlockJob;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.wire.block.TableBlock;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Mixin;

/**
 * Cost of checkpoints: two subtasks update 100 MB of keyed counters at random as fast as they can,
 * without checkpoints and with one every 10, 5 and 1 s.
 *
 * <p>A single job runs throughout and the benchmark triggers the checkpoints, so that the settings
 * differ in nothing else. Slices with checkpoints alternate with slices without. A ratio compares a
 * slice with the mean of its two neighbours, and the median of the rounds is reported, so that
 * drift of the machine's speed affects all settings alike. The warm-up has checkpoints too, since
 * the first ones allocate the snapshot arrays and compile the code. {@code cpu_ratio} compares rows
 * per second of processor time of this process, which is also meaningful on a busy machine. At the
 * end the job is restored and must have every key and count.
 */
public final class CheckpointBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seconds secondsOption = new Seconds();

  private static final int SLOTS = 2;
  private static final int BLOCK_ROWS = 4_096;
  private static final long STATE_BYTES = 100_000_000;
  private static final int ROUNDS = 3;
  private static final int SECONDS = 20;
  private static final int WARM_UP_SECONDS = 15;
  private static final int NO_CHECKPOINTS = 0;

  /** Seconds between two checkpoints. */
  private static final int[] INTERVALS = {10, 5, 1};

  /** Per slice, unless it would then exceed twice the requested seconds. */
  private static final int MIN_CHECKPOINTS = 4;

  private static final long RESTORE_NANOS = Duration.ofMinutes(1).toNanos();
  private static final Duration NEVER = Duration.ofHours(24);
  private static final String JOB = "checkpoint-cost";
  private static final String STEP = "counts";

  public CheckpointBenchmark() {
    super(
        "checkpoint",
        "throughput with 100 MB of keyed state, with and without checkpoints",
        Duration.ofMinutes(3));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    int keys = (int) rowsOption.or(STATE_BYTES / RandomCounts.ENTRY_BYTES);
    long counted;
    try (EmbeddedFlink flink = flink(context)) {
      EmbeddedJob job = flink.submit(JOB, SLOTS, job(keys));
      Slice.awaitKeys(job, keys);
      Slice.run(job, 1, Math.min(WARM_UP_SECONDS, secondsOption.or(SECONDS)));
      report(context, measure(context, job), keys);
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

  /** Slices without checkpoints are before and after each slice with them. */
  private List<List<Slice>> measure(BenchContext context, EmbeddedJob job) {
    int seconds = secondsOption.or(SECONDS);
    List<List<Slice>> rounds = new ArrayList<>();
    for (int round = 1; round <= rowsOption.rounds(ROUNDS); round++) {
      List<Slice> slices = new ArrayList<>();
      slices.add(Slice.run(job, NO_CHECKPOINTS, seconds));
      for (int interval : INTERVALS) {
        context.progress().accept("round " + round + ", every " + interval + " s");
        int enough = Math.min(MIN_CHECKPOINTS * interval, 2 * seconds);
        slices.add(Slice.run(job, interval, Math.max(seconds, enough)));
        slices.add(Slice.run(job, NO_CHECKPOINTS, seconds));
      }
      rounds.add(slices);
    }
    return rounds;
  }

  private void report(BenchContext context, List<List<Slice>> rounds, int keys) {
    List<Slice> without = new ArrayList<>();
    for (List<Slice> round : rounds) {
      for (int at = 0; at < round.size(); at += 2) {
        without.add(round.get(at));
      }
    }
    context.report(rate(without, NO_CHECKPOINTS, keys));
    for (int i = 0; i < INTERVALS.length; i++) {
      int interval = INTERVALS[i];
      int at = 2 * i + 1;
      List<Slice> of = rounds.stream().map(round -> round.get(at)).toList();
      context.report(rate(of, interval, keys));
      context.report(
          figure("ratio", ratio(rounds, at, Slice::rate), "of none", interval, keys)
              .aiming(Figure.Target.atLeast(interval == 1 ? 0.95 : 0.98)));
      context.report(
          figure(
              "cpu_ratio", ratio(rounds, at, Slice::rowsPerCpuSecond), "of none", interval, keys));
      context.report(
          figure("pause_ms", Slice.median(of, Slice::pauseMillis), "ms", interval, keys)
              .with("checkpoints", of.stream().mapToLong(Slice::checkpoints).sum()));
      context.report(
          figure("duration_ms", Slice.median(of, Slice::durationMillis), "ms", interval, keys)
              .with("checkpoint_bytes", of.get(of.size() - 1).bytes()));
    }
  }

  private Figure rate(List<Slice> slices, int interval, int keys) {
    return figure("rate", Slice.median(slices, Slice::rate), "rows", interval, keys)
        .with("gc_share", Math.round(1e4 * Slice.median(slices, Slice::gcShare)) / 1e4);
  }

  /** Median over the rounds of a slice's value divided by the mean of its two neighbours'. */
  private static double ratio(List<List<Slice>> rounds, int at, Slice.Value value) {
    return BenchContext.median(
        rounds.stream()
            .mapToDouble(
                round ->
                    2
                        * value.of(round.get(at))
                        / (value.of(round.get(at - 1)) + value.of(round.get(at + 1))))
            .toArray());
  }

  private Figure figure(String metric, double value, String unit, int interval, int keys) {
    return Figure.of(name(), metric, value, unit)
        .with("interval_s", interval)
        .with("state_bytes", (long) keys * RandomCounts.ENTRY_BYTES)
        .with("subtasks", SLOTS)
        .with("rounds", rowsOption.rounds(ROUNDS));
  }

  private static long rows(EmbeddedJob job) {
    return counter(job.status(), RandomCounts.COUNTED);
  }

  private static long counter(JobStatusReport status, String name) {
    return status.counters().getOrDefault(STEP + "." + name, 0L);
  }

  /** Checks that the restored state has all keys and at least the counts before the checkpoint. */
  private static void checkRestored(BenchContext context, int keys, long counted) {
    try (EmbeddedFlink flink = flink(context)) {
      EmbeddedJob job = flink.submit(JOB, SLOTS, job(keys));
      // One subtask may already run while the other still restores its state.
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

  private record Slice(
      double rate,
      double rowsPerCpuSecond,
      long checkpoints,
      double pauseMillis,
      double durationMillis,
      double gcShare,
      long bytes) {
    private static final long LOOK_NANOS = 20_000_000;

    interface Value {
      double of(Slice slice);
    }

    static double median(List<Slice> slices, Value value) {
      return BenchContext.median(slices.stream().mapToDouble(value::of).toArray());
    }

    static void awaitKeys(EmbeddedJob job, int keys) {
      while (rows(job) < keys / 2) {
        if (job.ended()) {
          throw new WrongResultException("the job has ended: " + job.status().failure());
        }
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }

    /** Processor time of this process; 0 if unknown. */
    private static long cpuNanos() {
      return ManagementFactory.getOperatingSystemMXBean()
              instanceof com.sun.management.OperatingSystemMXBean system
          ? system.getProcessCpuTime()
          : 0;
    }

    private static long gcMillis() {
      return ManagementFactory.getGarbageCollectorMXBeans().stream()
          .mapToLong(GarbageCollectorMXBean::getCollectionTime)
          .sum();
    }

    /** The first checkpoint is due after half an interval, so that each slice has its share. */
    static Slice run(EmbeddedJob job, int intervalSeconds, int seconds) {
      long start = System.nanoTime();
      long end = start + seconds * 1_000_000_000L;
      long interval = intervalSeconds * 1_000_000_000L;
      long next = intervalSeconds == 0 ? Long.MAX_VALUE : start + interval / 2;
      JobStatusReport before = job.status();
      long cpuBefore = cpuNanos();
      long gcBefore = gcMillis();
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
          (gcMillis() - gcBefore) / 1e3 / elapsed,
          after.checkpoint().map(JobStatusReport.CompletedCheckpoint::bytes).orElse(0L));
    }
  }
}
