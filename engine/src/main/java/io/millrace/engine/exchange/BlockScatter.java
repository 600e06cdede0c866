package io.millrace.engine.exchange;

import io.millrace.wire.block.RawBatch;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Distributes batches over subtasks. */
public final class BlockScatter {
  private BlockScatter() {}

  /**
   * Distributes the batches over all subtasks of the next step, so that downstream steps do not
   * inherit the log's partitioning: one busy partition is shared by all cores. The order of batches
   * is lost, except of those that must stay {@linkplain RawBatch#requiresOrder() in order}: these
   * go to the same subtask per partition.
   *
   * <p>Raw batches are the cheapest to distribute: two copies of the bytes, and everything
   * downstream, from decoding to storing, stays on one thread.
   */
  public static DataStream<RawBatch> scatter(DataStream<RawBatch> batches) {
    int parallelism = batches.getParallelism();
    DataStream<RawBatch> free =
        batches
            .filter(batch -> !batch.requiresOrder())
            .uid("free")
            .name("free")
            .setParallelism(parallelism)
            .rebalance();
    DataStream<RawBatch> inOrder =
        batches
            .filter(RawBatch::requiresOrder)
            .uid("in-order")
            .name("in-order")
            .setParallelism(parallelism)
            .partitionCustom((partition, receivers) -> partition % receivers, RawBatch::partition);
    return free.union(inOrder);
  }
}
