package io.millrace.engine.exchange;

import io.millrace.wire.block.RawBatch;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Deals batches out. */
public final class BlockScatter {
  private BlockScatter() {}

  /**
   * The same batches, dealt out over all subtasks of the next step one by one, so that what follows
   * does not inherit the log's partitioning: one busy partition is shared by all cores. The order
   * of batches is lost, but for those that must stay {@linkplain RawBatch#isInOrder() in order}:
   * these go to the same subtask for each partition.
   *
   * <p>Scattering raw batches costs the least: two copies of the bytes as they came, and everything
   * behind it, from decoding to storing, stays on one thread.
   */
  public static DataStream<RawBatch> scatter(DataStream<RawBatch> batches) {
    return batches.partitionCustom(
        new Dealer(), batch -> batch.isInOrder() ? batch.partition() : Dealer.ANY);
  }

  /** Sends what may go anywhere to each receiver in turn; each sender has one of its own. */
  private static final class Dealer implements Partitioner<Integer> {
    private static final long serialVersionUID = 1L;
    private static final int ANY = -1;

    private int turn = ThreadLocalRandom.current().nextInt(1 << 16);

    @Override
    public int partition(Integer partition, int receivers) {
      return Math.floorMod(partition == ANY ? turn++ : partition, receivers);
    }
  }
}
