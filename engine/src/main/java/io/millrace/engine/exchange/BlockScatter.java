package io.millrace.engine.exchange;

import io.millrace.wire.block.RawBatch;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Deals batches out. */
public final class BlockScatter {
  private BlockScatter() {}

  /**
   * The same batches, dealt out over all subtasks of the next step, so that what follows does not
   * inherit the log's partitioning: one busy partition is shared by all cores. The order of batches
   * is lost, but for those that must stay {@linkplain RawBatch#isInOrder() in order}: these go to
   * the same subtask for each partition.
   *
   * <p>Scattering raw batches costs the least: two copies of the bytes as they came, and everything
   * behind it, from decoding to storing, stays on one thread.
   */
  public static DataStream<RawBatch> scatter(DataStream<RawBatch> batches) {
    int parallelism = batches.getParallelism();
    DataStream<RawBatch> free =
        batches
            .filter(batch -> !batch.isInOrder())
            .uid("free")
            .name("free")
            .setParallelism(parallelism)
            .rebalance();
    DataStream<RawBatch> inOrder =
        batches
            .filter(RawBatch::isInOrder)
            .uid("in-order")
            .name("in-order")
            .setParallelism(parallelism)
            .partitionCustom((partition, receivers) -> partition % receivers, RawBatch::partition);
    return free.union(inOrder);
  }
}
