package io.millrace.bench.nexmark;

import io.millrace.wire.block.TableBlock;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.util.Collector;

/**
 * Turns numbers into the events of that stretch of epochs. The numbers come from a source that
 * keeps its place in checkpoints, so the events are replayed exactly.
 */
final class EventBlocks extends RichFlatMapFunction<Long, TableBlock> {
  private static final long serialVersionUID = 1L;

  /** Epochs in a stretch: blocks of 3,680 bids. */
  static final int EPOCHS = 80;

  static final int EVENTS = EPOCHS * NexmarkGenerator.EVENTS_AN_EPOCH;

  private final long seed;
  private final String delivery;
  private transient NexmarkGenerator generator;

  EventBlocks(long seed, String delivery) {
    this.seed = seed;
    this.delivery = delivery;
  }

  @Override
  public void open(OpenContext context) {
    generator = new NexmarkGenerator(seed);
    Delivery.named(delivery).begin();
  }

  @Override
  public void flatMap(Long number, Collector<TableBlock> out) {
    long epoch = number * EPOCHS;
    out.collect(generator.persons(epoch, EPOCHS));
    out.collect(generator.auctions(epoch, EPOCHS));
    out.collect(generator.bids(epoch, EPOCHS));
  }
}
