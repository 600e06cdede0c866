package io.millrace.bench.nexmark;

import io.millrace.bench.WrongResultException;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.operator.Analyzers;
import io.millrace.wire.block.TableBlock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** Queries as jobs of an embedded engine, one after the other. */
final class NexmarkRun implements AutoCloseable {
  static final int SLOTS = 2;
  static final Duration CHECKPOINTS = Duration.ofSeconds(10);

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final EmbeddedFlink flink;
  private final long seed;
  private int runs;

  NexmarkRun(Path directory, long seed) {
    this.seed = seed;
    FlinkConfig config =
        FlinkConfig.defaults().withSlots(SLOTS).withCheckpointInterval(CHECKPOINTS);
    flink = new EmbeddedFlink(config, directory);
    flink.start();
  }

  /**
   * Runs a query over the events of so many stretches.
   *
   * @param looker is shown all results, by several threads
   */
  Delivery run(NexmarkQuery query, long stretches, Consumer<TableBlock> looker) {
    String name = "nexmark-" + runs++;
    Delivery delivery = Delivery.to(name, looker);
    EmbeddedJob job = flink.submit(name, SLOTS, steps -> build(steps, query, stretches, name));
    try {
      if (!job.awaitEnd(PATIENCE)) {
        throw new WrongResultException(query + " did not end");
      }
    } finally {
      Delivery.forget(name);
    }
    return delivery;
  }

  private void build(
      StreamExecutionEnvironment job, NexmarkQuery query, long stretches, String name) {
    DataStream<TableBlock> events =
        job.fromSource(
                new NumberSequenceSource(0, stretches - 1),
                WatermarkStrategy.noWatermarks(),
                "numbers")
            .uid("numbers")
            .setParallelism(SLOTS)
            .flatMap(new EventBlocks(seed, name))
            .returns(BlockTypeInfo.TABLES)
            .uid("events")
            .setParallelism(SLOTS);
    Analyzers.analyze(
            query.addTo(events, SLOTS),
            "delivery",
            BlockTypeInfo.TABLES,
            SLOTS,
            subtask -> new Delivery.Step(name))
        .sinkTo(new DiscardingSink<>())
        .uid("nothing")
        .setParallelism(SLOTS);
  }

  @Override
  public void close() {
    flink.close();
  }
}
