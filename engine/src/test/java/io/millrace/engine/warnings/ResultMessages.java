package io.millrace.engine.warnings;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.engine.SharedLog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Committed messages of a topic of results. */
final class ResultMessages {
  private ResultMessages() {}

  static List<JsonNode> read(String topic) throws IOException {
    ObjectMapper json = new ObjectMapper();
    List<JsonNode> messages = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                SharedLog.bootstrapServers(),
                "isolation.level",
                "read_committed"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(partition -> new TopicPartition(topic, partition.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
        for (ConsumerRecord<byte[], byte[]> message : consumer.poll(Duration.ofMillis(100))) {
          messages.add(json.readTree(message.value()));
        }
      }
    }
    return messages;
  }

  /** The columns of a warning, for each message. */
  static List<String> warnings(String topic) throws IOException {
    return read(topic).stream()
        .map(
            message ->
                message.get("time").asLong()
                    + " "
                    + message.get("subscriber").asLong()
                    + " "
                    + message.get("used_percent").asLong())
        .toList();
  }
}
