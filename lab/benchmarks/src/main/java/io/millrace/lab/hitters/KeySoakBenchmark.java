package io.millrace.lab.hitters;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.hitters.HitterJudge;
import io.millrace.analytics.hitters.HitterKind;
import io.millrace.analytics.hitters.HitterSettings;
import io.millrace.analytics.hitters.SplitHitterCounts;
import io.millrace.analytics.hitters.Threshold;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.trend.FlowKeywords;
import io.millrace.analytics.trend.TrendAnalyzer;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Mixin;

/**
 * Sends flows of distinct sources, one flow each, through the steps of hitters or trends. Their
 * state must stay within the configured memory, regardless of the number of sources. It is measured
 * as the heap after a full garbage collection, which includes everything.
 */
public final class KeySoakBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  private static final long KEYS = 500_000_000;
  private static final int SAMPLES = 20;
  private static final int BLOCK_ROWS = FlowBlock.MANY_ROWS;
  private static final long KEYS_A_SECOND = 2_000_000;
  private static final long MICROS_A_BUCKET = 60_000_000;

  /** Number of buckets, with about twenty million keys each. */
  private static final int BUCKETS = 25;

  private static final int HITTERS_MEMORY = 16 << 20;

  /** The open epoch, the preceding one, and the one being judged. */
  private static final int EPOCHS_HELD = 3;

  private static final int KEYWORDS = 1 << 17;

  /** Bytes per keyword, as documented for the setting. */
  private static final int KEYWORD_BYTES = 300;

  private final boolean isOfTrends;

  /** Creates the benchmark of hitters or of trends. */
  public KeySoakBenchmark(boolean isOfTrends) {
    super(
        isOfTrends ? "trends.soak" : "hitters.soak",
        "memory of "
            + (isOfTrends ? "trends" : "hitters")
            + " while 500 million distinct keys arrive");
    this.isOfTrends = isOfTrends;
  }

  /** Consecutive steps, in one thread. */
  private interface Steps {
    void process(FlowBlock flows) throws Exception;

    void watermark(long micros) throws Exception;
  }

  @Override
  public boolean isOnRequest() {
    return true;
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(5 + rowsOption.or(KEYS) / KEYS_A_SECOND);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    long keys = rowsOption.or(KEYS);
    long most = isOfTrends ? (long) KEYWORDS * KEYWORD_BYTES : (long) EPOCHS_HELD * HITTERS_MEMORY;
    Steps steps = isOfTrends ? trends() : hitters();
    FlowBlock flows = block();
    long before = used();
    long largest = 0;
    long start = System.nanoTime();
    long measuring = 0;
    long nextSample = keys / SAMPLES;
    for (long sent = 0; sent < keys; sent += BLOCK_ROWS) {
      long time = (long) ((double) sent / keys * BUCKETS * MICROS_A_BUCKET);
      fill(flows, sent, time);
      steps.process(flows);
      steps.watermark(time - 1);
      if (sent + BLOCK_ROWS >= nextSample) {
        context.progress().accept(sent + BLOCK_ROWS + " of " + keys + " keys");
        long stopped = System.nanoTime();
        long held = used() - before;
        measuring += System.nanoTime() - stopped;
        largest = Math.max(largest, held);
        context
            .lines()
            .accept(
                "%,13d keys: %.1f MiB of %.1f MiB"
                    .formatted(sent + BLOCK_ROWS, held / 1048576.0, most / 1048576.0));
        nextSample += keys / SAMPLES;
      }
    }
    double seconds = (System.nanoTime() - start - measuring) / 1e9;
    context.report(
        Figure.of(name(), "held_mib", largest / 1048576.0, "MiB")
            .with("keys", keys)
            .aiming(Figure.Target.atMost(most / 1048576.0)));
    context.report(Figure.of(name(), "rate", keys / seconds, "keys").with("keys", keys));
    if (largest > most) {
      throw new WrongResultException(
          name() + " holds " + largest + " bytes, limit " + most + " bytes");
    }
  }

  private static Steps hitters() throws Exception {
    HitterSettings settings =
        new HitterSettings(
            List.of(HitterKind.parse("source")),
            HitterSettings.Measure.BYTES,
            MICROS_A_BUCKET,
            Threshold.parse("1%"),
            HITTERS_MEMORY,
            Algorithm.MV,
            Algorithm.randomSeed());
    SplitHitterCounts counts = opened(new SplitHitterCounts(settings));
    HitterJudge judge = opened(new HitterJudge(settings));
    Emitter<TableBlock> judged = block -> {};
    Emitter<TableBlock> counted =
        new Emitter<>() {
          @Override
          public void emit(TableBlock block) {
            judge.process(block, judged);
          }

          @Override
          public <B extends Block> void emit(Output<B> output, B block) {
            judge.process((TableBlock) block, judged);
          }
        };
    return new Steps() {
      @Override
      public void process(FlowBlock flows) {
        counts.process(flows, counted);
      }

      @Override
      public void watermark(long micros) {
        counts.watermark(micros, counted);
        judge.watermark(micros, judged);
      }
    };
  }

  private static Steps trends() throws Exception {
    TrendSettings settings =
        new TrendSettings(
            Duration.ofNanos(MICROS_A_BUCKET * 1_000),
            TrendSettings.Baseline.RECENT,
            5,
            0.99,
            2.5,
            1,
            1.5,
            false,
            KEYWORDS,
            Algorithm.randomSeed());
    FlowKeywords keywords = opened(new FlowKeywords(List.of(HitterKind.parse("source")), settings));
    TrendAnalyzer analyzer = opened(new TrendAnalyzer(settings));
    Emitter<TableBlock> found = block -> {};
    return new Steps() {
      @Override
      public void process(FlowBlock flows) {
        keywords.process(flows, block -> analyzer.process(block, found));
      }

      @Override
      public void watermark(long micros) throws Exception {
        analyzer.watermark(micros, found);
      }
    };
  }

  private static <A extends Analyzer<?, ?>> A opened(A analyzer) throws Exception {
    analyzer.open(AnalyzerContext.alone());
    return analyzer;
  }

  private static FlowBlock block() {
    FlowBlock flows = new FlowBlock(BLOCK_ROWS);
    for (int row = 0; row < BLOCK_ROWS; row++) {
      flows.longs(FlowColumn.PACKETS)[row] = 1;
      flows.longs(FlowColumn.BYTES)[row] = 100L + row % 1_400;
      flows.ints(FlowColumn.SAMPLING_RATE)[row] = 1;
      flows.ints(FlowColumn.PROTO)[row] = 17;
      flows.addressHigh(FlowColumn.SRC_ADDR)[row] = 0x2001_0DB8_0000_0000L;
    }
    flows.rows(BLOCK_ROWS);
    return flows;
  }

  /** Gives each row a distinct source. */
  private static void fill(FlowBlock flows, long first, long time) {
    long[] low = flows.addressLow(FlowColumn.SRC_ADDR);
    long[] times = flows.longs(FlowColumn.TIME);
    for (int row = 0; row < BLOCK_ROWS; row++) {
      low[row] = PacketTrace.mix(first + row);
      times[row] = time;
    }
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
