package io.millrace.engine.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.analytics.reduce.CombinedRows;
import io.millrace.analytics.reduce.Combiner;
import io.millrace.engine.Checkpoints;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.testing.Await;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** For any number of layers, and after any failure, the sum includes all rows. */
class ReductionsIT {
  private static final TableSchema SCHEMA =
      TableSchema.builder()
          .time("window_end")
          .number("key")
          .number("flows")
          .number("bytes")
          .build();
  private static final CombinedRows ROWS = new CombinedRows(SCHEMA, 2);
  private static final int ALL = 99;
  private static final int PER_SUBTASK = 2_000;
  private static final int KEYS = 7;

  /** Event time between rows, and of a window, in milliseconds. */
  private static final long STEP = 10;

  private static final long WINDOW = 1_000;

  /** With this pause, the rest of a subtask's rows takes minutes, but barriers still pass. */
  private static final long SLOW_NANOS = 100_000_000;

  /**
   * Long enough that a job is restored from the requested checkpoint. But a job that has read
   * everything ends with a checkpoint; Flink requests it once, and it fails if a source ends by an
   * earlier checkpoint at the same moment: then the next one ends the job.
   */
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(10);

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** Window and key → each emitted sum; the job runs in this process. */
  private static final Map<String, Set<String>> RESULTS = new ConcurrentHashMap<>();

  private static volatile CountDownLatch started;

  /** Number of a subtask's rows that arrive at once; later ones are slow. */
  private static volatile int quick;

  private static final Set<String> PATHS = ConcurrentHashMap.newKeySet();
  private static final AtomicBoolean FAILS_NEXT = new AtomicBoolean();

  @TempDir Path directory;

  private EmbeddedFlink flink;

  @BeforeEach
  void forget() {
    RESULTS.clear();
    PATHS.clear();
    FAILS_NEXT.set(false);
    quick = PER_SUBTASK;
  }

  @AfterEach
  void close() {
    flink.close();
  }

  private EmbeddedJob submit(int parallelism, int layers) {
    start(
        FlinkConfig.defaults().withSlots(parallelism).withCheckpointInterval(CHECKPOINT_INTERVAL));
    return flink.submit("reduce", parallelism, job -> build(job, parallelism, layers));
  }

  private void start(FlinkConfig config) {
    started = new CountDownLatch(config.slots());
    flink = new EmbeddedFlink(config, directory);
    flink.start();
  }

  private static void build(StreamExecutionEnvironment job, int parallelism, int layers) {
    job.getConfig().setAutoWatermarkInterval(5);
    DataStream<TableBlock> partials =
        rows(job, parallelism)
            .assignTimestampsAndWatermarks(
                WatermarkStrategy.<TableBlock>forMonotonousTimestamps()
                    .withTimestampAssigner((block, none) -> time(block.longs(3)[0])))
            .uid("watermarks");
    DataStream<TableBlock> reduced =
        Reductions.reduce(
            partials,
            "reduce",
            BlockTypeInfo.TABLES,
            layers,
            Optional.empty(),
            subtask -> new FailingCombiner(Combiner.of(ROWS)),
            subtask -> new FailingCombiner(Combiner.last(ROWS)));
    Analyzers.analyze(reduced, "results", BlockTypeInfo.TABLES, 1, subtask -> new Results())
        .sinkTo(new DiscardingSink<>())
        .uid("nothing")
        .setParallelism(1);
  }

  private static DataStream<TableBlock> rows(StreamExecutionEnvironment job, int parallelism) {
    return job.fromSource(
            new NumberSequenceSource(0, (long) parallelism * PER_SUBTASK - 1),
            WatermarkStrategy.noWatermarks(),
            "numbers")
        .uid("numbers")
        .map(new Rows())
        .returns(BlockTypeInfo.TABLES)
        .uid("rows");
  }

  /**
   * Waits until each subtask has a share of the numbers; otherwise a fast subtask would read the
   * share of a slow one too late.
   */
  private static final class Rows implements MapFunction<Long, TableBlock> {
    private static final long serialVersionUID = 1L;
    private transient boolean hasShare;

    @Override
    public TableBlock map(Long number) throws InterruptedException {
      if (!hasShare) {
        hasShare = true;
        started.countDown();
        started.await();
      }
      if (number % PER_SUBTASK >= quick) {
        LockSupport.parkNanos(SLOW_NANOS);
      }
      TableBlock block = new TableBlock(SCHEMA, 1);
      block.longs(0)[0] = (time(number) / WINDOW + 1) * WINDOW * 1_000;
      block.longs(1)[0] = number % KEYS;
      block.longs(2)[0] = 1;
      block.longs(3)[0] = number;
      block.rows(1);
      return block;
    }
  }

  /** All subtasks of the source have the same times. */
  private static long time(long number) {
    return number % PER_SUBTASK * STEP;
  }

  private static Map<String, Set<String>> expected(int parallelism) {
    Map<String, long[]> sums = new HashMap<>();
    for (long number = 0; number < (long) parallelism * PER_SUBTASK; number++) {
      long end = (time(number) / WINDOW + 1) * WINDOW * 1_000;
      long[] sum = sums.computeIfAbsent(end + " " + number % KEYS, window -> new long[2]);
      sum[0]++;
      sum[1] += number;
    }
    Map<String, Set<String>> expected = new HashMap<>();
    sums.forEach((window, sum) -> expected.put(window, Set.of(sum[0] + " " + sum[1])));
    return expected;
  }

  @Test
  void theResultIsTheSumOfAllRows() {
    EmbeddedJob job = submit(4, ALL);
    assertThat(job.awaitEnd(TIMEOUT)).isTrue();
    assertThat(RESULTS).isEqualTo(expected(4));
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4})
  void theResultIsTheSumOfAllRowsAcrossARestart(int parallelism) throws Exception {
    quick = PER_SUBTASK / 4;
    EmbeddedJob job = submit(parallelism, ALL);
    Await.until("some results", () -> RESULTS.size() > KEYS);
    long checkpoint = Checkpoints.take(job);
    int results = RESULTS.size();
    quick = PER_SUBTASK / 2;
    Await.until("some more", () -> RESULTS.size() > results);
    FAILS_NEXT.set(true);
    quick = PER_SUBTASK;
    Await.until("the failure", () -> !FAILS_NEXT.get()); // a job that has ended reports no restarts
    assertThat(job.awaitEnd(TIMEOUT)).isTrue();
    assertThat(checkpoint).isPositive();
    assertThat(RESULTS).isEqualTo(expected(parallelism));
  }

  /** Connections: two neighbours to one subtask; none is omitted at an odd width. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "3 | 0>0/2 1>1/2 2>1/2 0>0/1 1>0/1",
        "5 | 0>0/3 1>1/3 2>1/3 3>2/3 4>2/3 0>0/2 1>1/2 2>1/2 0>0/1 1>0/1"
      })
  void neighboursArePaired(int parallelism, String paths) throws Exception {
    start(FlinkConfig.defaults().withSlots(parallelism));
    EmbeddedJob job =
        flink.submit(
            "pairs",
            parallelism,
            steps ->
                Reductions.reduce(
                        Analyzers.analyze(
                            rows(steps, parallelism),
                            "senders",
                            BlockTypeInfo.TABLES,
                            parallelism,
                            subtask -> new PathTracer(false)),
                        "pairs",
                        BlockTypeInfo.TABLES,
                        ALL,
                        Optional.empty(),
                        subtask -> new PathTracer(true),
                        subtask -> new PathTracer(true))
                    .sinkTo(new DiscardingSink<>())
                    .uid("nothing"));
    assertThat(job.awaitEnd(TIMEOUT)).isTrue();
    assertThat(PATHS).containsExactlyInAnyOrder(paths.split(" ", -1));
  }

  /** Records which subtask sent a block, and in the block which one received it. */
  private static final class PathTracer implements Analyzer<TableBlock, TableBlock> {
    private final boolean writes;
    private int index;
    private int count;

    PathTracer(boolean writes) {
      this.writes = writes;
    }

    @Override
    public void open(AnalyzerContext context) {
      index = context.index();
      count = context.count();
    }

    @Override
    public void process(TableBlock block, Emitter<TableBlock> out) {
      if (writes) {
        PATHS.add(block.longs(1)[0] + ">" + index + "/" + count);
      }
      block.longs(1)[0] = index;
      out.emit(block);
    }
  }

  /** Combines, and fails on request. */
  private static final class FailingCombiner
      implements Analyzer<TableBlock, TableBlock>, PartitionedState {
    private final Combiner combiner;

    FailingCombiner(Combiner combiner) {
      this.combiner = combiner;
    }

    @Override
    public void open(AnalyzerContext context) {
      combiner.open(context);
    }

    @Override
    public void process(TableBlock block, Emitter<TableBlock> out) {
      if (FAILS_NEXT.compareAndSet(true, false)) {
        throw new IllegalStateException("fails on request");
      }
      combiner.process(block, out);
    }

    @Override
    public void watermark(long micros, Emitter<TableBlock> out) {
      combiner.watermark(micros, out);
    }

    @Override
    public void idle(Emitter<TableBlock> out) {
      combiner.idle(out);
    }

    @Override
    public void snapshot(StateWriter out) throws Exception {
      combiner.snapshot(out);
    }

    @Override
    public void restore(int piece, long version, byte[] state) {
      combiner.restore(piece, version, state);
    }
  }

  /** Collects the results. After a restart, a sum may be repeated, but not differ. */
  private static final class Results implements Analyzer<TableBlock, TableBlock> {
    @Override
    public void process(TableBlock block, Emitter<TableBlock> out) {
      for (int row = 0; row < block.rows(); row++) {
        RESULTS
            .computeIfAbsent(
                block.text(row, 0) + " " + block.text(row, 1),
                window -> ConcurrentHashMap.newKeySet())
            .add(block.text(row, 2) + " " + block.text(row, 3));
      }
    }
  }
}
