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
 * A topic of others that gets messages made of blocks: where it is, and how it is written.
 *
 * @param bootstrapServers of the topic's Kafka
 * @param topic that exists, as does {@code positions}
 * @param compression of the messages
 * @param transactionTimeout after which Kafka gives up a transaction that nobody ends
 * @param transactionalId with which the names of the transactions begin: no other job's on that
 *     Kafka may
 * @param properties of Kafka's clients besides
 * @param positions topic of one partition in which stands what this sink has written; no other
 *     sink's. Sinks that write to one topic have one each
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
  /** Much more than is written between a few checkpoints. */
  private static final long POSITIONS_BYTES = 64L << 20;

  /** Longer than a transaction: what does not fill a request goes with the commit, all at once. */
  private static final int LINGER_MILLIS = 1_000;

  /**
   * One after the other: while Kafka adds a partition to a transaction, it refuses what comes
   * behind the first request, and that is sent again a tenth of a second later.
   */
  private static final int REQUESTS_IN_FLIGHT = 1;

  private static final int REQUEST_BYTES = 256 << 10;

  /**
   * Makes messages of blocks, on the thread of one subtask.
   *
   * @param <B> the blocks
   */
  public interface Messages<B> extends AutoCloseable {
    /** Gives the block's messages, in their order; each array is given away. */
    void encode(B block, Consumer<byte[]> out);

    @Override
    void close();
  }

  /** A sink that is the only one to write to its topic: {@link #positionsTopic} follows from it. */
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

  /** Where the positions of the only sink of a topic stand. */
  public static String positionsTopic(String topic) {
    return topic + ".positions";
  }

  /**
   * Makes a topic, and the one beside it, where they are missing.
   *
   * @throws io.millrace.engine.log.LogException if Kafka refuses or does not answer
   */
  public static void ensure(LogTopics topics, String topic) {
    ensure(topics, topic, positionsTopic(topic));
  }

  /**
   * Makes a topic, and that of a sink's positions, where they are missing.
   *
   * @throws io.millrace.engine.log.LogException if Kafka refuses or does not answer
   */
  public static void ensure(LogTopics topics, String topic, String positions) {
    topics.ensure(topic);
    topics.ensure(positions, 1, POSITIONS_BYTES);
  }

  /** How the names of all transactions begin. */
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
