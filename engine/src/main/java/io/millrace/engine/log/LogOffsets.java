package io.millrace.engine.log;

import io.millrace.wire.block.Frontier;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Begin and end offsets of the partitions of a topic, and offsets by time. Every result lists all
 * partitions. Holds a connection until closed; thread-safe.
 */
public final class LogOffsets implements AutoCloseable {
  /**
   * A point in the history of a partition.
   *
   * @param offset after the last value
   * @param leaderEpoch of the partition at that time: no value before {@code offset} has a later
   *     one; -1 if unknown
   * @param last hash of the last value and its time; 0 if there is none
   */
  public record Mark(long offset, int leaderEpoch, long last) {}

  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  private final String bootstrapServers;
  private final Admin admin;
  private final String topic;

  /** Offsets of one topic, which must exist. */
  public LogOffsets(String bootstrapServers, String topic) {
    this.bootstrapServers = bootstrapServers;
    this.admin = LogClients.admin(bootstrapServers);
    this.topic = topic;
  }

  /** Kafka's id of the topic: a topic that is created again under the same name has another one. */
  public String topicId() {
    return await(() -> description().topicId().toString());
  }

  /** The oldest offset of each partition; the end offset if it is empty. */
  public Frontier begin() {
    return list(OffsetSpec.earliest());
  }

  /** The offset that the next value of each partition will get. */
  public Frontier end() {
    return list(OffsetSpec.latest());
  }

  /** Current end of each partition. */
  public Map<Integer, Mark> marks() {
    Frontier begin = begin();
    Map<Integer, Mark> marks = new TreeMap<>();
    try (Consumer<byte[], byte[]> log = consumer()) {
      infos(OffsetSpec.latest())
          .forEach(
              (partition, end) -> {
                boolean isEmpty = end.offset() <= begin.next(partition.partition());
                long last = isEmpty ? 0 : hash(log, partition, end.offset() - 1).orElse(0);
                Mark mark = new Mark(end.offset(), end.leaderEpoch().orElse(-1), last);
                marks.put(partition.partition(), mark);
              });
    } catch (KafkaException e) {
      throw new LogException("end of topic " + topic + ": " + e.getMessage(), e);
    }
    return marks;
  }

  /**
   * Partitions whose history differs from the recorded one: the log has lost values, and may since
   * have stored others under the same offsets. The leader epoch (KIP-320), which each restart of
   * the log increments, gives the point of divergence.
   *
   * @param history marks of this topic by partition, oldest first
   * @return first differing offset, by partition; empty if there is none
   */
  public Frontier diverged(List<Map<Integer, Mark>> history) {
    Frontier begin = begin();
    Frontier end = end();
    Map<Integer, Long> diverged = new HashMap<>();
    try (Consumer<byte[], byte[]> log = consumer()) {
      for (int number : end.next().keySet()) {
        TopicPartition partition = new TopicPartition(topic, number);
        List<Mark> marks =
            history.stream()
                .map(at -> at.get(number))
                .filter(Objects::nonNull)
                .filter(mark -> mark.offset() > begin.next(number) && mark.last() != 0)
                .toList();
        if (marks.isEmpty() || isThere(log, partition, marks.get(marks.size() - 1), end)) {
          continue; // no mark can be compared, or the newest matches, and so do all before it
        }
        Mark same = new Mark(0, -1, 0);
        for (Mark mark : marks) {
          if (!isThere(log, partition, mark, end)) {
            diverged.put(number, divergence(log, partition, same, mark));
            break;
          }
          same = mark;
        }
      }
    } catch (KafkaException e) {
      throw new LogException("history of topic " + topic + ": " + e.getMessage(), e);
    }
    return new Frontier(diverged);
  }

  private static boolean isThere(
      Consumer<byte[], byte[]> log, TopicPartition partition, Mark mark, Frontier end) {
    return mark.offset() <= end.next(partition.partition())
        && hash(log, partition, mark.offset() - 1).orElse(mark.last()) == mark.last();
  }

  /** Offset at which the leader of the last matching mark stopped writing. */
  private static long divergence(
      Consumer<byte[], byte[]> log, TopicPartition partition, Mark same, Mark other) {
    if (same.leaderEpoch() < 0) {
      return same.offset();
    }
    log.assign(List.of(partition));
    log.endOffsets(List.of(partition), TIMEOUT); // makes the client fetch the leader epoch
    log.seek(partition, new OffsetAndMetadata(other.offset(), Optional.of(same.leaderEpoch()), ""));
    try {
      var unused = log.position(partition, TIMEOUT);
      return same.offset();
    } catch (LogTruncationException e) {
      OffsetAndMetadata end = e.divergentOffsets().get(partition);
      return end == null ? same.offset() : Math.max(same.offset(), end.offset());
    }
  }

  /**
   * Append time of the first value at or after the given offsets, over all partitions.
   *
   * @return microseconds since the epoch; now if there is no such value
   */
  public long firstMicros(Frontier from) {
    Frontier end = end();
    long millis = System.currentTimeMillis();
    try (Consumer<byte[], byte[]> log = consumer()) {
      for (int number : end.next().keySet()) {
        if (from.next(number) < end.next(number)) {
          log.assign(List.of(new TopicPartition(topic, number)));
          log.seek(new TopicPartition(topic, number), from.next(number));
          for (ConsumerRecord<byte[], byte[]> value : log.poll(TIMEOUT)) {
            millis = Math.min(millis, value.timestamp());
            break; // all following values are later
          }
        }
      }
    } catch (KafkaException e) {
      throw new LogException("first values of topic " + topic + ": " + e.getMessage(), e);
    }
    return millis * 1_000;
  }

  /** Whether a partition has a value between two offsets, the end exclusive. */
  public boolean hasValue(int number, long from, long until) {
    long first = Math.max(from, begin().next(number));
    long end = Math.min(until, end().next(number));
    TopicPartition partition = new TopicPartition(topic, number);
    try (Consumer<byte[], byte[]> log = consumer()) {
      log.assign(List.of(partition));
      log.seek(partition, first);
      while (log.position(partition, TIMEOUT) < end) {
        for (ConsumerRecord<byte[], byte[]> value : log.poll(TIMEOUT)) {
          return value.offset() < end;
        }
      }
      return false;
    } catch (KafkaException e) {
      throw new LogException("values of topic " + topic + ": " + e.getMessage(), e);
    }
  }

  private Consumer<byte[], byte[]> consumer() {
    return LogClients.consumer(
        bootstrapServers, Map.of(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none"));
  }

  private static OptionalLong hash(
      Consumer<byte[], byte[]> log, TopicPartition partition, long offset) {
    log.assign(List.of(partition));
    log.seek(partition, offset);
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (System.nanoTime() < deadline) {
      for (ConsumerRecord<byte[], byte[]> value : log.poll(TIMEOUT)) {
        if (value.offset() != offset) {
          return OptionalLong.empty();
        }
        CRC32C sum = new CRC32C();
        sum.update(value.value() == null ? new byte[0] : value.value());
        return OptionalLong.of((value.timestamp() << 32) ^ sum.getValue());
      }
    }
    return OptionalLong.empty();
  }

  /**
   * The first offset of each partition whose value was appended at or after a time; the end of the
   * partition if there is none.
   *
   * @param micros since the epoch; rounded down to milliseconds, the log's precision
   */
  public Frontier at(long micros) {
    Map<Integer, Long> next = new HashMap<>(end().next());
    list(OffsetSpec.forTimestamp(Math.floorDiv(micros, 1000)))
        .next()
        .forEach(
            (partition, offset) -> {
              if (offset >= 0) {
                next.put(partition, offset);
              }
            });
    return new Frontier(next);
  }

  private Frontier list(OffsetSpec spec) {
    Map<Integer, Long> next = new HashMap<>();
    infos(spec).forEach((partition, info) -> next.put(partition.partition(), info.offset()));
    return new Frontier(next);
  }

  private Map<TopicPartition, ListOffsetsResultInfo> infos(OffsetSpec spec) {
    return await(
        () -> {
          Map<TopicPartition, OffsetSpec> request = new HashMap<>();
          description()
              .partitions()
              .forEach(
                  partition -> request.put(new TopicPartition(topic, partition.partition()), spec));
          return admin.listOffsets(request).all().get();
        });
  }

  private TopicDescription description() throws InterruptedException, ExecutionException {
    return admin.describeTopics(List.of(topic)).topicNameValues().get(topic).get();
  }

  private interface Request<T> {
    T get() throws InterruptedException, ExecutionException;
  }

  private <T> T await(Request<T> request) {
    try {
      return request.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LogException("interrupted while listing the offsets of topic " + topic, e);
    } catch (ExecutionException e) {
      throw new LogException("offsets of topic " + topic + ": " + e.getCause().getMessage(), e);
    }
  }

  @Override
  public void close() {
    admin.close();
  }
}
