package io.millrace.lab.endtoend;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.traffic.LogFiller;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * Throughput by the number of blocks in flight from each log reader to the decoders.
 *
 * <p>The sender's pool of network buffers bounds this number. Flink fixes the number of buffers, so
 * this benchmark varies their size. A block fills the pool at the smallest size, so that the pool
 * holds exactly 1, 2, 4 … blocks.
 */
public final class FlowsInFlightBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  @Option(
      names = "--blocks",
      paramLabel = "N",
      converter = Blocks.class,
      description = "Blocks in flight (1, 2, 4, 8, 16 or 32); may be repeated.")
  private List<Integer> blocks = BLOCKS;

  static final class Blocks implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      return BLOCKS.stream()
          .filter(blocks -> text.equals(blocks.toString()))
          .findAny()
          .orElseThrow(() -> new TypeConversionException(text + " is not one of " + BLOCKS));
    }
  }

  /** Numbers of blocks that can be compared; buffer sizes must be powers of two. */
  public static final List<Integer> BLOCKS = List.of(1, 2, 4, 8, 16, 32);

  private static final long DEFAULT_ROWS = 2_000_000;
  private static final int EXPORTERS = 4;
  private static final int MIN_BUFFER_BYTES = 8 << 10;
  private static final int ROUNDS = 2;

  public FlowsInFlightBenchmark() {
    super(
        "flows.inflight",
        "rows from the log to SQL by number of blocks in flight to the decoders",
        Duration.ofMinutes(2));
  }

  /** Settings with which a sender's pool holds this number of blocks of {@link #blockBytes}. */
  static FlinkConfig holding(int blocks) {
    return FlinkConfig.defaults().withNetworkBufferBytes(blocks * MIN_BUFFER_BYTES);
  }

  /** Bytes of a block that fills a sender's pool of the smallest buffers. */
  static int blockBytes() {
    return FlinkConfig.defaults().senderBuffers() * MIN_BUFFER_BYTES;
  }

  @Override
  public void run(BenchContext context) throws Exception {
    int rounds = rowsOption.rounds(ROUNDS);
    try (PipelineRun pipeline = new PipelineRun(context)) {
      context.progress().accept("filling the log");
      pipeline.fill(
          rowsOption.or(DEFAULT_ROWS), EXPORTERS, source -> new LogFiller(source, blockBytes()));
      double[][] rates = new double[blocks.size()][rounds];
      for (int round = 0; round < rounds; round++) { // alternately, so that load affects all
        for (int i = 0; i < blocks.size(); i++) {
          FlinkConfig flink = holding(blocks.get(i));
          context
              .progress()
              .accept(blocks.get(i) + " blocks, round " + (round + 1) + " of " + rounds);
          rates[i][round] = pipeline.run(PipelineRun.Settings.DEFAULTS.withFlink(flink)).rate();
        }
      }
      for (int i = 0; i < blocks.size(); i++) {
        FlinkConfig flink = holding(blocks.get(i));
        context.report(
            Figure.of(name(), "rate", BenchContext.median(rates[i]), "rows")
                .with("blocks", blocks.get(i))
                .with("block_bytes", blockBytes())
                .with("buffer_bytes", flink.networkBufferBytes())
                .with("buffers", flink.senderBuffers())
                .with("slots", flink.slots())
                .with("rows", pipeline.samples())
                .with("rounds", rounds));
      }
    }
  }
}
