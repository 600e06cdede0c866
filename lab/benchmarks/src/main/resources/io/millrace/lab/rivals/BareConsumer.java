import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads a topic to its end with Kafka's consumer and discards the values: the upper bound of
 * engines that read this way on one thread. Prints bytes, and values per second without the first
 * tenth.
 *
 * <p>Arguments: KAFKA TOPIC
 */
public final class BareConsumer {
  public static void main(String[] args) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", args[0],
                "max.poll.records", 32_768,
                "fetch.max.bytes", 8 << 20,
                "max.partition.fetch.bytes", 2 << 20,
                "receive.buffer.bytes", 1 << 20),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(args[1]).stream()
              .map(each -> new TopicPartition(args[1], each.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long all =
          consumer.endOffsets(partitions).values().stream().mapToLong(Long::longValue).sum();
      long read = 0;
      long bytes = 0;
      long warm = 0;
      long started = 0;
      while (read < all) {
        for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofSeconds(1))) {
          read++;
          bytes += each.value().length;
        }
        if (started == 0 && read >= all / 10) {
          started = System.nanoTime();
          warm = read;
        }
      }
      double seconds = (System.nanoTime() - started) / 1e9;
      System.out.println("bytes " + bytes);
      System.out.println("rate " + (read - warm) / seconds);
    }
  }
}
