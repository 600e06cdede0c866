package io.millrace.lab.nexmark;

import io.millrace.engine.operator.BlockJob;
import io.millrace.wire.block.TableBlock;
import java.util.function.Consumer;

/** Generates the events of the batch of epochs with a given number. */
final class EventBlocks implements BlockJob.Generator<TableBlock> {
  private static final long serialVersionUID = 1L;

  /** Epochs per batch, whose block has 3,680 bids. */
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
  public void open() {
    generator = new NexmarkGenerator(seed);
    Delivery.named(delivery).begin();
  }

  @Override
  public void make(long number, Consumer<TableBlock> out) {
    long epoch = number * EPOCHS;
    out.accept(generator.persons(epoch, EPOCHS));
    out.accept(generator.auctions(epoch, EPOCHS));
    out.accept(generator.bids(epoch, EPOCHS));
  }
}
