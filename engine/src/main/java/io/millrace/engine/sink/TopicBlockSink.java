package io.millrace.engine.sink;

import io.millrace.engine.operator.Subtask;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.sink.BlockSink;
import java.nio.ByteBuffer;

/**
 * Sink to a topic, exactly once for readers of committed messages, for blocks with a position in
 * the log.
 *
 * <p>A topic cannot be rewound, so the sink drops blocks that a replay repeats. It writes the log
 * position of each block to a second topic, in the same transaction as the block's messages ({@link
 * TopicTransactions}). After a restart it reads these positions and drops their blocks.
 *
 * @param <B> the blocks, each with all rows of one value of the log
 */
public final class TopicBlockSink<B extends Block> implements BlockSink<B, Frontier> {
  private final LogPlace<B> place;
  private final TopicSink.Messages<B> messages;
  private final int subtask;
  private final TopicTransactions transactions;
  private final TopicPositions positions = new TopicPositions();
  private ByteBuffer places = newPlaces(64);

  /**
   * Creates the sink of one subtask.
   *
   * @param messages encoder of blocks; closed with the sink
   */
  public TopicBlockSink(
      TopicSink sink, LogPlace<B> place, TopicSink.Messages<B> messages, Subtask subtask) {
    this.place = place;
    this.messages = messages;
    this.subtask = subtask.index();
    transactions = new TopicTransactions(sink, subtask.index());
  }

  private static ByteBuffer newPlaces(int blocks) {
    return ByteBuffer.allocate(1 + blocks * TopicPositions.PLACE_LENGTH).put(TopicPositions.PLACES);
  }

  @Override
  public void rewind(long token, Frontier covered) {
    transactions.fence(token);
  }

  @Override
  public void begin(long token, long checkpoint) {
    transactions.begin(token, positions::take);
  }

  @Override
  public void append(B block) {
    int partition = place.partition(block);
    long offset = place.offset(block);
    int index = place.index(block);
    if (block.rows() == 0 || positions.contains(partition, offset, index)) {
      return;
    }
    messages.encode(block, message -> transactions.send(null, message));
    if (places.remaining() < TopicPositions.PLACE_LENGTH) {
      places = newPlaces(places.capacity() / 8).put(places.flip().position(1));
    }
    places.putInt(partition).putLong(offset).putInt(index);
  }

  @Override
  public void flush() {
    transactions.commit(() -> TopicPositions.taken(places));
  }

  @Override
  public void commit(long checkpoint, Frontier covered) {
    positions.forget(covered);
    if (subtask == 0) {
      // A replay that spans several checkpoints may fail too, so positions of earlier attempts that
      // it has not reached are rewritten before the old records are deleted.
      flush();
      transactions.prune(positions::records);
    }
  }

  @Override
  public void close() {
    transactions.close();
    messages.close();
  }
}
