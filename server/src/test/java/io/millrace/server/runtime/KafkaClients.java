package io.millrace.server.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.pipelines.kafka.KafkaEndpoints;
import io.millrace.pipelines.kafka.OutFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own clients, which write external topics and read exported ones. */
final class KafkaClients {
  static final String IN = "goflow2";
  static final String OUT = "enriched";

  /** Columns that identify a row and its message. */
  static final String ROW =
      "SELECT log_partition, log_offset, log_index, bytes, src_port FROM flows";

  /**
   * Minimum session time-out of a broker: until then no other consumer gets the partitions of a
   * killed process.
   */
  private static final Map<String, String> MISSED_SOON = Map.of("session.timeout.ms", "6000");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  private KafkaClients() {}

  /** Configures both endpoints for this Kafka; null for the embedded one. */
  static MillraceConfig open(MillraceConfig config, String bootstrap) {
    KafkaEndpoints endpoints = config.kafka();
    return config.withSection(
        endpoints
            .withIn(
                endpoints
                    .in()
                    .withTopics(List.of(IN))
                    .withBootstrap(bootstrap)
                    .withProperties(MISSED_SOON))
            .withOut(
                endpoints
                    .out()
                    .withTopic(OUT)
                    .withBootstrap(bootstrap)
                    .withFormat(OutFormat.JSON, 100)));
  }

  /** The n-th flow, as GoFlow2 writes it: n bytes, from port n mod 50,000. */
  static byte[] message(int n) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(new byte[] {0x08, 1, 0x18, (byte) 0x80, 2}); // sFlow, one in 256
    out.writeBytes(new byte[] {0x32, 4, 8, 0, (byte) (n >> 8), (byte) n});
    out.writeBytes(new byte[] {0x3A, 4, 1, 0, 0, 1, 0x5A, 4, 10, 0, 0, 1});
    number(out, 9, n + 1);
    number(out, 10, 1);
    number(out, 20, 17);
    number(out, 21, n % 50_000 + 1);
    return out.toByteArray();
  }

  private static void number(ByteArrayOutputStream out, int field, int value) {
    for (int rest : new int[] {field << 3, value}) {
      for (; rest > 127; rest >>>= 7) {
        out.write((rest & 127) | 128);
      }
      out.write(rest);
    }
  }

  static KafkaProducer<byte[], byte[]> producer(String bootstrap) {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", bootstrap, "acks", "all", "linger.ms", "2"),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  /** Writes a range of flows, and returns when Kafka has them. */
  static void produce(KafkaProducer<byte[], byte[]> producer, int from, int to) {
    for (int n = from; n < to; n++) {
      var unused = producer.send(new ProducerRecord<>(IN, message(n)));
    }
    producer.flush();
  }

  /** Writes an arbitrary message. */
  static void produceOther(KafkaProducer<byte[], byte[]> producer, byte[] message) {
    var unused = producer.send(new ProducerRecord<>(IN, message));
    producer.flush();
  }

  /** All committed exported rows, as {@link #ROW}. */
  static List<String> committed(String bootstrap) {
    return committed(bootstrap, 0);
  }

  /** All committed exported rows, once there are at least {@code min}. */
  static List<String> committed(String bootstrap, int min) {
    List<String> rows = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                bootstrap,
                "isolation.level",
                "read_committed",
                "auto.offset.reset",
                "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(OUT).stream()
              .map(p -> new TopicPartition(p.topic(), p.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      long deadline = System.nanoTime() + TIMEOUT.toNanos();
      while (rows.size() < min
          || partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        assertThat(deadline - System.nanoTime()).as("time left, " + rows.size()).isPositive();
        for (ConsumerRecord<byte[], byte[]> message : consumer.poll(POLL)) {
          new String(message.value(), UTF_8).lines().map(KafkaClients::row).forEach(rows::add);
        }
      }
    }
    return rows;
  }

  private static String row(String line) {
    try {
      JsonNode row = JSON.readTree(line);
      return String.join(
          " ",
          Stream.of("log_partition", "log_offset", "log_index", "bytes", "src_port")
              .map(name -> row.get(name).asText())
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(line, e);
    }
  }
}
