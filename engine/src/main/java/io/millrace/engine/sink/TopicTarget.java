package io.millrace.engine.sink;

import io.millrace.engine.operator.Subtask;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.Frontier;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A topic as the stream job's sink, exactly once for readers of committed messages.
 *
 * <p>A topic cannot be rewound, so what a replay brings again is left out. With the messages of a
 * block its place in the log is written to a second topic, in the same transaction: so the two
 * agree, whatever fails. A new life first ends all transactions of those before, then reads which
 * blocks are there, and leaves these out when they come again. A transaction is committed at each
 * flush, a few times a second, and need not wait for a checkpoint: none is ever open over one.
 *
 * <p>A subtask that was given up and wakes late cannot do harm: either it had its transactions'
 * name when the new life began, then that has ended it; or it takes the name afterwards, then it
 * reads a ticket greater than its own.
 *
 * @param <B> the blocks, each with all rows of one value of the log
 */
public final class TopicTarget<B extends Block> implements RewindableTarget<B, Frontier> {
  private final TopicSink sink;
  private final LogPlace<B> place;
  private final TopicSink.Messages<B> messages;
  private final int subtask;
  private final TopicPositions positions;
  private final ByteArraySerializer bytes = new ByteArraySerializer();
  private ByteBuffer places = newPlaces(64);
  private Admin admin;
  private KafkaProducer<byte[], byte[]> producer;
  private boolean inTransaction;

  /**
   * The target of one subtask.
   *
   * @param messages made of blocks; closed with the target
   */
  public TopicTarget(
      TopicSink sink, LogPlace<B> place, TopicSink.Messages<B> messages, Subtask subtask) {
    this.sink = sink;
    this.place = place;
    this.messages = messages;
    this.subtask = subtask.index();
    positions = new TopicPositions(sink);
  }

  private static ByteBuffer newPlaces(int blocks) {
    return ByteBuffer.allocate(1 + blocks * TopicPositions.PLACE_LENGTH).put(TopicPositions.PLACES);
  }

  @Override
  public void open() {
    admin = Admin.create(sink.clientOptions());
  }

  @Override
  public void rewind(long ticket, Frontier covered) throws Exception {
    List<String> names = new ArrayList<>();
    for (TransactionListing transaction : admin.listTransactions().all().get()) {
      if (transaction.transactionalId().startsWith(sink.prefix())) {
        names.add(transaction.transactionalId());
      }
    }
    if (!names.isEmpty()) {
      admin.fenceProducers(names).all().get();
    }
    try (KafkaProducer<byte[], byte[]> plain =
        new KafkaProducer<>(sink.producerOptions(), bytes, bytes)) {
      byte[] begun =
          ByteBuffer.allocate(1 + Long.BYTES).put(TopicPositions.TICKET).putLong(ticket).array();
      plain.send(position(begun)).get();
    }
  }

  @Override
  public void begin(long ticket) {
    var options = sink.producerOptions();
    options.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, sink.prefix() + subtask);
    options.put(
        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, (int) sink.transactionTimeout().toMillis());
    producer = new KafkaProducer<>(options, bytes, bytes);
    producer.initTransactions(); // before reading: what is read then is what is there
    positions.read();
    if (positions.newestTicket() > ticket) {
      throw new IllegalStateException(
          "topic " + sink.topic() + " is written by a later life of the job");
    }
  }

  @Override
  public void append(B block) throws Exception {
    int partition = place.partition(block);
    long offset = place.offset(block);
    int index = place.index(block);
    if (block.rows() == 0 || positions.contains(partition, offset, index)) {
      return;
    }
    if (!inTransaction) {
      producer.beginTransaction();
      inTransaction = true;
    }
    messages.encode(
        block,
        message -> {
          var unused = producer.send(new ProducerRecord<>(sink.topic(), message));
        });
    if (places.remaining() < TopicPositions.PLACE_LENGTH) {
      places = newPlaces(places.capacity() / 8).put(places.flip().position(1));
    }
    places.putInt(partition).putLong(offset).putInt(index);
  }

  /** Fails if any message was not taken; then the whole transaction is not. */
  @Override
  public void flush() {
    if (!inTransaction) {
      return;
    }
    byte[] record = new byte[places.flip().limit()];
    places.get(record).clear().put(TopicPositions.PLACES);
    var unused = producer.send(position(record));
    producer.commitTransaction();
    inTransaction = false;
  }

  private ProducerRecord<byte[], byte[]> position(byte[] record) {
    return new ProducerRecord<>(TopicSink.positionsTopic(sink.topic()), 0, null, record);
  }

  @Override
  public void committed(long checkpointId, Frontier covered) throws Exception {
    positions.forget(covered);
    if (subtask == 0) {
      positions.prune(admin);
    }
  }

  @Override
  public void close() {
    if (producer != null) {
      producer.close(Duration.ZERO);
      producer = null;
    }
    if (admin != null) {
      admin.close(Duration.ZERO);
      admin = null;
    }
    messages.close();
  }
}
