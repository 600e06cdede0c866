package io.millrace.lab.packets;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.packets.PacketCounts;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.operator.BlockJob;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Replay of a trace through two steps of an embedded engine: the first emits the blocks, the second
 * is the product's packet counter, in its own threads or in those of the first. Time is measured
 * from the opening of the first step to the last count.
 */
final class CountingRun implements AutoCloseable {
  private static final Duration CHECKPOINTS = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Map<String, Round> RUNNING = new ConcurrentHashMap<>();

  private final EmbeddedFlink flink;
  private final IpLayer layer;
  private final boolean chained;
  private int runs;

  /** Input and output of a job, in the process that started it. Thread-safe. */
  private static final class Round {
    private final List<PacketBlock> blocks;
    private final Totals counted = new Totals();
    private long startNanos;
    private long endNanos;

    Round(List<PacketBlock> blocks) {
      this.blocks = blocks;
    }

    synchronized void begin() {
      startNanos = startNanos == 0 ? System.nanoTime() : startNanos;
    }

    synchronized void end() {
      endNanos = System.nanoTime();
    }

    synchronized double seconds() {
      return (endNanos - startNanos) / 1e9;
    }
  }

  /**
   * Starts an engine.
   *
   * @param chained whether each subtask is one thread
   */
  CountingRun(Path directory, int slots, IpLayer layer, boolean chained) {
    this.layer = layer;
    this.chained = chained;
    flink =
        new EmbeddedFlink(
            FlinkConfig.defaults().withSlots(slots).withCheckpointInterval(CHECKPOINTS), directory);
    flink.start();
  }

  /**
   * Counts all packets {@code rounds} times.
   *
   * @return seconds taken
   * @throws WrongResultException if a count is wrong
   */
  double count(HeaderTrace trace, long rounds, int subtasks) {
    String name = "packets-" + runs++;
    Round round = new Round(trace.blocks());
    RUNNING.put(name, round);
    try {
      EmbeddedJob job =
          flink.submit(name, subtasks, job(name, trace.blocks().size() * rounds, subtasks));
      if (!job.awaitEnd(PATIENCE)) {
        throw new WrongResultException("the job did not end");
      }
    } finally {
      RUNNING.remove(name);
    }
    Totals expected = new Totals();
    expected.add(trace.truth(), rounds);
    round.counted.check("the engine", expected);
    return round.seconds();
  }

  private BlockJob<TableBlock> job(String name, long blocks, int subtasks) {
    IpLayer counted = layer;
    BlockJob<PacketBlock> packets =
        BlockJob.generating(
            blocks,
            BlockTypeInfo.of(PacketBlock.FAMILY).byReference(),
            subtasks,
            new TraceReplay(name));
    return (chained ? packets : packets.onNextThread())
        .analyze("packet-count", BlockTypeInfo.TABLES, subtask -> new PacketCounts(counted, false))
        .analyze("totals", BlockTypeInfo.TABLES, subtask -> new Arrival(name));
  }

  @Override
  public void close() {
    flink.close();
  }

  /** Returns the blocks cyclically. */
  private static final class TraceReplay implements BlockJob.Generator<PacketBlock> {
    private static final long serialVersionUID = 1L;

    private final String name;
    private transient List<PacketBlock> blocks;

    TraceReplay(String name) {
      this.name = name;
    }

    @Override
    public void open() {
      Round round = RUNNING.get(name);
      blocks = round.blocks;
      round.begin();
    }

    @Override
    public void make(long number, Consumer<PacketBlock> out) {
      out.accept(blocks.get((int) (number % blocks.size())));
    }
  }

  private static final class Arrival implements Analyzer<TableBlock, TableBlock> {
    private final Round round;

    Arrival(String name) {
      round = RUNNING.get(name);
    }

    @Override
    public void process(TableBlock block, Emitter<TableBlock> out) {
      round.counted.add(block);
    }

    @Override
    public void watermark(long micros, Emitter<TableBlock> out) {
      if (micros == Long.MAX_VALUE) {
        round.end();
      }
    }
  }
}
