package io.millrace.engine.sink;

import io.millrace.engine.log.LogException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Transactions of one subtask that write to a topic and to its positions topic (of one partition),
 * so that the two agree after any failure. After a restart, the sink first aborts all earlier
 * transactions, then reads the positions. A transaction is committed at each flush, a few times a
 * second, and is never open across a checkpoint.
 *
 * <p>A zombie subtask is excluded in either case: if it initialised its transactional id before the
 * restart, it was fenced; otherwise it reads a fencing token greater than its own, from a record of
 * kind {@code 'T'} (8 bytes). Not thread-safe.
 */
final class TopicTransactions implements AutoCloseable {
  static final byte TOKEN = 'T';

  private static final Duration POLL = Duration.ofMillis(200);

  /** Number of newest checkpoints from which the job may be restored. */
  private static final int RETAINED_CHECKPOINTS = 4;

  private final TopicSink sink;
  private final int subtask;
  private final TopicPartition positions;
  private final Admin admin;
  private final Deque<Long> ends = new ArrayDeque<>();
  private KafkaProducer<byte[], byte[]> producer;
  private boolean isOpen;
  private int prunings;

  TopicTransactions(TopicSink sink, int subtask) {
    this.sink = sink;
    this.subtask = subtask;
    positions = new TopicPartition(sink.positions(), 0);
    admin = Admin.create(sink.clientOptions());
  }

  void fence(long token) {
    List<String> names = new ArrayList<>();
    for (TransactionListing transaction : await(admin.listTransactions().all())) {
      if (transaction.transactionalId().startsWith(sink.prefix())) {
        names.add(transaction.transactionalId());
      }
    }
    if (!names.isEmpty()) {
      var unused = await(admin.fenceProducers(names).all());
    }
    try (KafkaProducer<byte[], byte[]> plain = producer(sink.producerOptions())) {
      byte[] begun = ByteBuffer.allocate(1 + Long.BYTES).put(TOKEN).putLong(token).array();
      var unused = await(plain.send(position(begun)));
    }
  }

  /**
   * Starts writing; {@code records} receives the records of the positions topic.
   *
   * @throws IllegalStateException if a later attempt has begun
   */
  void begin(long token, Consumer<ByteBuffer> records) {
    Map<String, Object> options = sink.producerOptions();
    options.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, sink.prefix() + subtask);
    options.put(
        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, (int) sink.transactionTimeout().toMillis());
    producer = producer(options);
    producer.initTransactions(); // before reading, so that nothing is added meanwhile
    if (read(records) > token) {
      throw new IllegalStateException(
          "topic " + sink.topic() + " is in use by a later attempt of the job");
    }
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> options) {
    ByteArraySerializer bytes = new ByteArraySerializer();
    return new KafkaProducer<>(options, bytes, bytes);
  }

  /**
   * Reads all committed records, and returns the greatest fencing token. Waits until the broker
   * aborts an open transaction that {@link #fence} missed: records after it are invisible until
   * then, and unread positions would be written twice.
   */
  private long read(Consumer<ByteBuffer> records) {
    Map<String, Object> options = sink.clientOptions();
    options.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    options.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    options.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    options.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    long newestToken = Long.MIN_VALUE;
    long end = end();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(options, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(List.of(positions));
      consumer.seekToBeginning(List.of(positions));
      while (consumer.position(positions) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          ByteBuffer value = ByteBuffer.wrap(record.value());
          if (value.get(0) == TOKEN) {
            newestToken = Math.max(newestToken, value.getLong(1));
          } else {
            records.accept(value);
          }
        }
      }
    }
    return newestToken;
  }

  private long end() {
    return await(
            admin.listOffsets(Map.of(positions, OffsetSpec.latest())).partitionResult(positions))
        .offset();
  }

  private <T> T await(Future<T> request) {
    try {
      return request.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LogException("interrupted while writing topic " + sink.topic(), e);
    } catch (ExecutionException e) {
      throw new LogException("topic " + sink.topic() + ": " + e.getCause().getMessage(), e);
    }
  }

  void send(byte[] key, byte[] message) {
    if (!isOpen) {
      producer.beginTransaction();
      isOpen = true;
    }
    var unused = producer.send(new ProducerRecord<>(sink.topic(), key, message));
  }

  /** Commits the open transaction, if any, with a record in the positions topic. */
  void commit(Supplier<byte[]> written) {
    if (!isOpen) {
      return;
    }
    var unused = producer.send(position(written.get()));
    producer.commitTransaction();
    isOpen = false;
  }

  private void write(List<byte[]> records) {
    if (!records.isEmpty()) {
      producer.beginTransaction();
      for (byte[] record : records) {
        var unused = producer.send(position(record)); // a failure makes the commit fail
      }
      producer.commitTransaction();
    }
  }

  private ProducerRecord<byte[], byte[]> position(byte[] record) {
    return new ProducerRecord<>(positions.topic(), positions.partition(), null, record);
  }

  /**
   * Deletes position records older than the retained checkpoints. Called when a checkpoint has
   * completed and no transaction is open.
   *
   * @param kept returns the records that must be retained
   */
  void prune(Supplier<List<byte[]>> kept) {
    try {
      ends.add(end());
      if (prunings++ % RETAINED_CHECKPOINTS == 0) {
        write(kept.get());
      }
      if (ends.size() > RETAINED_CHECKPOINTS) {
        var unused =
            admin.deleteRecords(Map.of(positions, RecordsToDelete.beforeOffset(ends.remove())));
      }
    } catch (LogException e) {
      ends.clear(); // retried at the next checkpoint; costs only disk space
    }
  }

  @Override
  public void close() {
    if (producer != null) {
      producer.close(Duration.ZERO);
      producer = null;
    }
    admin.close(Duration.ZERO);
  }
}
