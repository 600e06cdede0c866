package io.millrace.engine.sink;

import io.millrace.engine.log.Compression;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogTopics;
import java.io.Serializable;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * A topic for messages encoded from blocks, and how it is written.
 *
 * @param bootstrapServers of the topic's Kafka
 * @param topic that exists, as does {@code positions}
 * @param compression of the messages
 * @param transactionTimeout after which Kafka aborts an abandoned transaction
 * @param transactionalId prefix of the transactional ids; unique among the jobs on that Kafka
 * @param properties further properties of Kafka clients
 * @param positions topic of one partition that records what this sink has written; each sink has
 *     its own, even if several write to one {@code topic}
 */
public record TopicSink(
    String bootstrapServers,
    String topic,
    Compression compression,
    Duration transactionTimeout,
    String transactionalId,
    Map<String, String> properties,
    String positions)
    implements Serializable {
  /** Much more than a sink writes during a few checkpoints. */
  private static final long POSITIONS_BYTES = 64L << 20;

  /** Longer than a transaction, so that partly filled requests are sent together at the commit. */
  private static final int LINGER_MILLIS = 1_000;

  /** While Kafka adds a partition to a transaction, it rejects later requests for 100 ms. */
  private static final int REQUESTS_IN_FLIGHT = 1;

  private static final int REQUEST_BYTES = 256 << 10;

  /**
   * Encodes blocks as messages, on the thread of one subtask.
   *
   * @param <B> the blocks
   */
  public interface Messages<B> extends AutoCloseable {
    /** Emits the block's messages, in order; ownership of each array passes to {@code out}. */
    void encode(B block, Consumer<byte[]> out);

    @Override
    void close();
  }

  /** The only sink of its topic, with the topic's {@link #positionsTopic}. */
  public TopicSink(
      String bootstrapServers,
      String topic,
      Compression compression,
      Duration transactionTimeout,
      String transactionalId,
      Map<String, String> properties) {
    this(
        bootstrapServers,
        topic,
        compression,
        transactionTimeout,
        transactionalId,
        properties,
        positionsTopic(topic));
  }

  /** Name of the positions topic for a topic with a single sink. */
  public static String positionsTopic(String topic) {
    return topic + ".positions";
  }

  /**
   * Creates a topic and its positions topic, if missing.
   *
   * @throws io.millrace.engine.log.LogException if Kafka rejects the request or does not respond
   */
  public static void ensure(LogTopics topics, String topic) {
    ensure(topics, topic, positionsTopic(topic));
  }

  /**
   * Creates a topic and a sink's positions topic, if missing.
   *
   * @throws io.millrace.engine.log.LogException if Kafka rejects the request or does not respond
   */
  public static void ensure(LogTopics topics, String topic, String positions) {
    topics.ensure(topic);
    topics.ensure(positions, 1, POSITIONS_BYTES);
  }

  String prefix() {
    return transactionalId + "-" + topic + "-";
  }

  Map<String, Object> clientOptions() {
    Map<String, Object> options = new HashMap<>(properties);
    options.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    options.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
    return options;
  }

  Map<String, Object> producerOptions() {
    Map<String, Object> p = clientOptions();
    p.put(ProducerConfig.ACKS_CONFIG, "all");
    p.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    p.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, compression.label());
    p.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MILLIS);
    p.put(ProducerConfig.BATCH_SIZE_CONFIG, REQUEST_BYTES);
    p.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, REQUESTS_IN_FLIGHT);
    p.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, LogConfig.MAX_VALUE_BYTES);
    return p;
  }
}
