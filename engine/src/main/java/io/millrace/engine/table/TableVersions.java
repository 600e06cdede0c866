package io.millrace.engine.table;

import io.millrace.engine.log.LogClients;
import io.millrace.engine.log.LogException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

final class TableVersions implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);

  private final TopicPartition partition;
  private final Consumer<byte[], byte[]> consumer;

  @FunctionalInterface
  interface Versions {
    void version(long offset, long appendMillis, byte[] value);
  }

  TableVersions(String bootstrapServers, String topic, long from) {
    partition = new TopicPartition(topic, 0);
    Map<String, Object> options = new HashMap<>(LogClients.consumerProperties());
    options.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    options.put(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    consumer =
        new KafkaConsumer<>(options, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    consumer.assign(List.of(partition));
    consumer.seek(partition, from);
  }

  static void readAll(String bootstrapServers, String topic, Versions versions) {
    try (TableVersions all = new TableVersions(bootstrapServers, topic, 0)) {
      all.readToEnd(versions);
    } catch (KafkaException e) {
      throw new LogException("table " + topic + ": " + e.getMessage(), e);
    }
  }

  /** Reads versions appended since the last call, up to the end of the topic. */
  void readToEnd(Versions versions) {
    long end = consumer.endOffsets(List.of(partition)).get(partition);
    while (consumer.position(partition) < end) {
      read(versions);
    }
  }

  void read(Versions versions) {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
      versions.version(record.offset(), record.timestamp(), record.value());
    }
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(Duration.ZERO));
  }
}
