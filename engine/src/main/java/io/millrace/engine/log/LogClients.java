package io.millrace.engine.log;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Common settings of Kafka clients, so that all of them treat large values alike. */
public final class LogClients {
  /** Socket buffers that hold a value, if the kernel allows it; Kafka's default is 64 KiB. */
  static final int SOCKET_BUFFER_BYTES = 1 << 20;

  private static final int FETCH_BYTES = 8 << 20;
  private static final int PARTITION_FETCH_BYTES = 2 << 20;

  /** Up to two polls of values wait on the heap; Kafka's default is 500 values. */
  private static final int POLL_VALUES = 16;

  private LogClients() {}

  /**
   * Properties of every reader of the log, including the stream job. No consumer group is involved.
   */
  public static Map<String, String> consumerProperties() {
    Map<String, String> properties = new HashMap<>();
    properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, Integer.toString(FETCH_BYTES));
    properties.put(
        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, Integer.toString(PARTITION_FETCH_BYTES));
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(POLL_VALUES));
    properties.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, Integer.toString(SOCKET_BUFFER_BYTES));
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    properties.put(ConsumerConfig.CHECK_CRCS_CONFIG, "true");
    return properties;
  }

  static Admin admin(String bootstrapServers) {
    return Admin.create(
        Map.of(
            AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrapServers,
            AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
            (int) Duration.ofSeconds(30).toMillis(),
            AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
            (int) Duration.ofSeconds(10).toMillis(),
            AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG,
            false));
  }

  static Consumer<byte[], byte[]> consumer(String bootstrapServers) {
    return consumer(bootstrapServers, Map.of());
  }

  static Consumer<byte[], byte[]> consumer(String bootstrapServers, Map<String, String> besides) {
    Map<String, Object> properties = new HashMap<>(consumerProperties());
    properties.putAll(besides);
    properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    properties.put(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}
