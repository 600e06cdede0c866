package io.millrace.engine.exchange;

import io.millrace.wire.block.Block;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Deals blocks out. */
public final class BlockScatter {
  private BlockScatter() {}

  /**
   * The same blocks, dealt out over all subtasks of the next step one by one, so that what follows
   * does not inherit the log's partitioning: one busy partition is shared by all cores. The order
   * of blocks is lost.
   *
   * <p>Scattering raw batches costs the least: two copies of the bytes as they came, and everything
   * behind it, from decoding to storing, stays on one thread.
   */
  public static <B extends Block> DataStream<B> scatter(DataStream<B> blocks) {
    return blocks.rebalance();
  }
}
