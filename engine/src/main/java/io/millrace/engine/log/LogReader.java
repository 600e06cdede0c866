package io.millrace.engine.log;

import io.millrace.wire.block.Frontier;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads a range of a topic once, on the caller's thread: for dead letters, tails and tests. The
 * stream job has a separate source.
 */
public final class LogReader {
  /** Receives values. */
  @FunctionalInterface
  public interface Values {
    /**
     * Called for each value, in order of offset within a partition.
     *
     * @param key null if the value has none
     * @return whether to continue
     */
    boolean value(int partition, long offset, long timeMillis, byte[] key, byte[] value);
  }

  private static final Duration POLL = Duration.ofMillis(200);

  private static final int FOLLOWED_VALUES = 5_000;

  private LogReader() {}

  /**
   * Reads from one frontier to another. Returns at its end, when {@code values} returns false, or
   * when nothing has arrived for {@code timeout}.
   *
   * @param from the first offset of each partition, or the oldest retained one
   * @param until the first offset of each partition that is <em>not</em> read; partitions that are
   *     not listed are not read
   * @return number of values read
   * @throws LogException if the log cannot be read
   */
  public static long read(
      String bootstrapServers,
      String topic,
      Frontier from,
      Frontier until,
      Duration timeout,
      Values values) {
    try (Consumer<byte[], byte[]> consumer = LogClients.consumer(bootstrapServers)) {
      Set<TopicPartition> open = new HashSet<>();
      until.next().keySet().forEach(p -> open.add(new TopicPartition(topic, p)));
      consumer.assign(open);
      open.forEach(p -> consumer.seek(p, from.next(p.partition())));
      long read = 0;
      long quietSince = System.nanoTime();
      while (true) {
        open.removeIf(p -> consumer.position(p) >= until.next(p.partition()));
        pauseAllBut(open, consumer);
        if (open.isEmpty() || System.nanoTime() - quietSince > timeout.toNanos()) {
          return read;
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          if (record.offset() >= until.next(record.partition())) {
            continue;
          }
          quietSince = System.nanoTime();
          read++;
          if (!values.value(
              record.partition(),
              record.offset(),
              record.timestamp(),
              record.key(),
              record.value())) {
            return read;
          }
        }
      }
    } catch (KafkaException e) {
      throw new LogException("topic " + topic + ": " + e.getMessage(), e);
    }
  }

  /**
   * Reads the committed values of a topic from the beginning and then as they arrive, until {@code
   * values} or {@code goesOn} returns false; {@code goesOn} is called at least a few times a
   * second.
   *
   * @throws LogException if the log cannot be read
   */
  public static void follow(
      String bootstrapServers, String topic, BooleanSupplier goesOn, Values values) {
    Map<String, String> committed =
        Map.of(
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed",
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            Integer.toString(FOLLOWED_VALUES));
    try (Consumer<byte[], byte[]> consumer = LogClients.consumer(bootstrapServers, committed)) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(each -> new TopicPartition(topic, each.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (goesOn.getAsBoolean()) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          if (!values.value(
              record.partition(),
              record.offset(),
              record.timestamp(),
              record.key(),
              record.value())) {
            return;
          }
        }
      }
    } catch (KafkaException e) {
      throw new LogException("topic " + topic + ": " + e.getMessage(), e);
    }
  }

  private static void pauseAllBut(Set<TopicPartition> open, Consumer<byte[], byte[]> consumer) {
    Set<TopicPartition> done = new HashSet<>(consumer.assignment());
    done.removeAll(open);
    consumer.pause(done);
  }
}
