package io.millrace.engine.log;

import io.millrace.wire.block.Frontier;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Where the partitions of a topic begin and end, and what was written when. Every answer names all
 * partitions. Keeps a connection until it is closed; thread-safe.
 */
public final class LogOffsets implements AutoCloseable {
  /**
   * A point in the history of a partition.
   *
   * @param offset of the value after the last one
   * @param leaderEpoch Kafka's number of the leader that the partition had then: no value before
   *     {@code offset} has a later one; -1 where it is not known
   */
  public record Mark(long offset, int leaderEpoch) {}

  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final String bootstrapServers;
  private final Admin admin;
  private final String topic;

  /** Offsets of one topic, which must exist. */
  public LogOffsets(String bootstrapServers, String topic) {
    this.bootstrapServers = bootstrapServers;
    this.admin = LogClients.admin(bootstrapServers);
    this.topic = topic;
  }

  /** Kafka's id of the topic: a topic of this name that is made again has another one. */
  public String topicId() {
    return asked(() -> description().topicId().toString());
  }

  /** Where each partition ends now. */
  public Map<Integer, Mark> marks() {
    Map<Integer, Mark> marks = new TreeMap<>();
    infos(OffsetSpec.latest())
        .forEach(
            (partition, end) ->
                marks.put(
                    partition.partition(), new Mark(end.offset(), end.leaderEpoch().orElse(-1))));
    return marks;
  }

  /**
   * Partitions whose history differs from what it was at a mark: the log has lost values, and may
   * have written others under the same offsets since (KIP-320).
   *
   * @param marks by partition, taken of this topic
   * @return first offset, by partition, from which on the history differs; empty if it never does
   */
  public Frontier diverged(Map<Integer, Mark> marks) {
    Map<Integer, Long> diverged = new HashMap<>();
    try (Consumer<byte[], byte[]> log =
        LogClients.consumer(
            bootstrapServers, Map.of(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none"))) {
      for (Map.Entry<Integer, Mark> known : marks.entrySet()) {
        Mark mark = known.getValue();
        TopicPartition partition = new TopicPartition(topic, known.getKey());
        if (mark.leaderEpoch() >= 0 && mark.offset() > 0) {
          differing(log, partition, mark)
              .ifPresent(offset -> diverged.put(partition.partition(), offset));
        }
      }
    } catch (KafkaException e) {
      throw new LogException("history of topic " + topic + ": " + e.getMessage(), e);
    }
    return new Frontier(diverged);
  }

  /** The oldest offset that each partition still holds; its end where it holds nothing. */
  public Frontier begin() {
    return list(OffsetSpec.earliest());
  }

  /** The offset that the next value of each partition will get. */
  public Frontier end() {
    return list(OffsetSpec.latest());
  }

  private static OptionalLong differing(
      Consumer<byte[], byte[]> log, TopicPartition partition, Mark mark) {
    log.assign(List.of(partition));
    log.endOffsets(List.of(partition), PATIENCE); // learns the leader that a seek compares with
    log.seek(partition, new OffsetAndMetadata(mark.offset(), Optional.of(mark.leaderEpoch()), ""));
    try {
      var unused = log.position(partition, PATIENCE);
      return OptionalLong.empty();
    } catch (LogTruncationException e) {
      OffsetAndMetadata same = e.divergentOffsets().get(partition);
      return OptionalLong.of(same == null ? 0 : same.offset());
    }
  }

  /**
   * The first offset of each partition whose value was appended at or after a time; the end of the
   * partition where there is none.
   *
   * @param micros since the epoch; the log keeps milliseconds, so up to one of them more is read
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
    return asked(
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
    T answer() throws InterruptedException, ExecutionException;
  }

  private <T> T asked(Request<T> request) {
    try {
      return request.answer();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LogException("interrupted while asking for the offsets of topic " + topic, e);
    } catch (ExecutionException e) {
      throw new LogException("offsets of topic " + topic + ": " + e.getCause().getMessage(), e);
    }
  }

  @Override
  public void close() {
    admin.close();
  }
}
