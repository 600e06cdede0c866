package io.millrace.engine.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.trend.TrendAnalyzer;
import io.millrace.analytics.trend.TrendRows;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.engine.Checkpoints;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.testing.Await;
import io.millrace.wire.block.TableBlock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * All subtasks of a keyed step know the first bucket of the stream, even those without rows in the
 * first buckets.
 */
class FirstBucketIT {
  private static final long MINUTE = 60_000_000;
  private static final int PER_MINUTE = 100;
  private static final int NUMBERS = 24 * PER_MINUTE;

  /** Until then there is only one keyword. The first minute that is evaluated. */
  private static final int OTHERS_BEGIN = 6;

  /** The first minute whose end the senders announce: all earlier ones are closed at once. */
  private static final int TIME_BEGINS = 8;

  /** With this pause, the rest takes minutes, but barriers still pass. */
  private static final long SLOW_NANOS = 100_000_000;

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration LAG = Duration.ofMillis(11);
  private static final TrendSettings SETTINGS = TrendSettings.defaults();

  private static volatile int quick;
  private static final Set<Long> MADE = ConcurrentHashMap.newKeySet();
  private static final Set<String> TRENDS = ConcurrentHashMap.newKeySet();

  @TempDir Path directory;

  @BeforeEach
  void forget() {
    MADE.clear();
    TRENDS.clear();
    quick = NUMBERS;
  }

  /** One row each. */
  private static final class Rows implements BlockJob.Generator<TableBlock> {
    private static final long serialVersionUID = 1L;

    @Override
    public void make(long number, Consumer<TableBlock> out) {
      if (number >= quick) {
        LockSupport.parkNanos(SLOW_NANOS);
      }
      long minute = number / PER_MINUTE;
      TableBlock block = new TableBlock(TrendRows.EVENTS, 1);
      block.longs(0)[0] = minute * MINUTE + 1 + number % PER_MINUTE;
      block.texts(1).add("keyword " + (minute < OTHERS_BEGIN ? 0 : number % 30));
      block.longs(2)[0] = 20;
      block.rows(1);
      out.accept(block);
      MADE.add(number);
    }

    @Override
    public long passed(long number) {
      boolean isEnd = (number + 1) % PER_MINUTE == 0 && number / PER_MINUTE >= TIME_BEGINS;
      return isEnd ? (number + 1) / PER_MINUTE * MINUTE - 1 : Long.MIN_VALUE;
    }
  }

  private static Set<String> expected() throws Exception {
    Set<String> trends = new TreeSet<>();
    TrendAnalyzer alone = new TrendAnalyzer(SETTINGS, LAG);
    alone.open(AnalyzerContext.alone());
    for (long number = 0; number < NUMBERS; number++) {
      new Rows().make(number, block -> alone.process(block, none -> {}));
    }
    alone.watermark(Long.MAX_VALUE, block -> keep(block, trends));
    assertThat(trends).contains(OTHERS_BEGIN + " keyword 1 new");
    return trends;
  }

  private static void keep(TableBlock block, Set<String> trends) {
    for (int row = 0; row < block.rows(); row++) {
      trends.add(
          block.longs(0)[row] / MINUTE + " " + block.text(row, 1) + " " + block.text(row, 7));
    }
  }

  private EmbeddedFlink start(int parallelism) {
    EmbeddedFlink flink =
        new EmbeddedFlink(
            FlinkConfig.defaults()
                .withSlots(parallelism)
                // short: if a job ends before all tasks run, it waits for the next checkpoint
                .withCheckpointInterval(Duration.ofSeconds(2)),
            directory);
    flink.start();
    return flink;
  }

  private static EmbeddedJob submit(EmbeddedFlink flink, int parallelism) {
    BlockJob<TableBlock> rows =
        BlockJob.generating(NUMBERS, BlockTypeInfo.TABLES, parallelism, new Rows());
    return flink.submit(
        "job",
        parallelism,
        BlockJob.analyzeKeyed(
                rows,
                TrendRows.keyword(SETTINGS),
                "trends",
                BlockTypeInfo.TABLES,
                subtask -> new TrendAnalyzer(SETTINGS, LAG))
            .analyze("keep", BlockTypeInfo.TABLES, subtask -> (block, out) -> keep(block, TRENDS)));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void allSubtasksJudgeFromTheSameBucketOn(int parallelism) throws Exception {
    Set<String> expected = expected();
    try (EmbeddedFlink flink = start(parallelism)) {
      assertThat(submit(flink, parallelism).awaitEnd(TIMEOUT)).isTrue();
    }
    assertThat(TRENDS).containsExactlyInAnyOrderElementsOf(expected);
  }

  /**
   * A checkpoint before and after the watermark is known, replayed input, and other numbers of
   * subtasks. Not fewer: a subtask with two parts of the sequence may read the later part first,
   * whose event time makes the rows of the other late.
   */
  @ParameterizedTest
  @CsvSource({"400, 2, 3", "1000, 2, 4", "400, 1, 4"})
  void alsoAfterARestoreAtAnotherParallelism(int before, int first, int second) throws Exception {
    Set<String> expected = expected();
    MADE.clear();
    quick = before;
    try (EmbeddedFlink flink = start(first)) {
      EmbeddedJob job = submit(flink, first);
      Await.until("rows", () -> MADE.contains(before - 1L));
      assertThat(Checkpoints.take(job)).isPositive();
      quick = before + PER_MINUTE;
      Await.until("more rows", () -> MADE.contains(before + PER_MINUTE - 1L));
    }
    quick = NUMBERS;
    try (EmbeddedFlink flink = start(second)) {
      assertThat(submit(flink, second).awaitEnd(TIMEOUT)).isTrue();
    }
    assertThat(TRENDS).containsExactlyInAnyOrderElementsOf(expected);
  }
}
