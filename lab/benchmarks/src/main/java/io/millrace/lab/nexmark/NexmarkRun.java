package io.millrace.lab.nexmark;

import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.operator.BlockJob;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.wire.block.TableBlock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

/** An embedded engine that runs queries as jobs, one at a time. */
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
   * Runs a query over the events of the first {@code batches} batches.
   *
   * @param looker receives all results, from several threads
   */
  Delivery run(NexmarkQuery query, long batches, Consumer<TableBlock> looker) {
    String name = "nexmark-" + runs++;
    Delivery delivery = Delivery.to(name, looker);
    EmbeddedJob job = flink.submit(name, SLOTS, job(query, batches, name));
    try {
      if (!job.awaitEnd(PATIENCE)) {
        throw new WrongResultException(query + " did not end");
      }
    } finally {
      Delivery.forget(name);
    }
    return delivery;
  }

  private BlockJob<TableBlock> job(NexmarkQuery query, long batches, String name) {
    BlockJob<TableBlock> events =
        BlockJob.generating(batches, BlockTypeInfo.TABLES, SLOTS, new EventBlocks(seed, name));
    return query
        .addTo(events)
        .analyze("delivery", BlockTypeInfo.TABLES, subtask -> new Delivery.Step(name));
  }

  @Override
  public void close() {
    flink.close();
  }
}
