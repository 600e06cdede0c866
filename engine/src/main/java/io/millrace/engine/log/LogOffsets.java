package io.millrace.engine.log;

import io.millrace.wire.block.Frontier;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * Where the partitions of a topic begin and end, and what was written when. Every answer names all
 * partitions. Keeps a connection until it is closed; thread-safe.
 */
public final class LogOffsets implements AutoCloseable {
  private final Admin admin;
  private final String topic;

  /** Offsets of one topic, which must exist. */
  public LogOffsets(String bootstrapServers, String topic) {
    this.admin = LogClients.admin(bootstrapServers);
    this.topic = topic;
  }

  /** The oldest offset that each partition still holds; its end where it holds nothing. */
  public Frontier begin() {
    return list(OffsetSpec.earliest());
  }

  /** The offset that the next value of each partition will get. */
  public Frontier end() {
    return list(OffsetSpec.latest());
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
    try {
      Collection<Integer> partitions =
          admin
              .describeTopics(List.of(topic))
              .topicNameValues()
              .get(topic)
              .get()
              .partitions()
              .stream()
              .map(partition -> partition.partition())
              .toList();
      Map<TopicPartition, OffsetSpec> request = new HashMap<>();
      partitions.forEach(partition -> request.put(new TopicPartition(topic, partition), spec));
      Map<TopicPartition, ListOffsetsResultInfo> answer = admin.listOffsets(request).all().get();
      Map<Integer, Long> next = new HashMap<>();
      answer.forEach((partition, info) -> next.put(partition.partition(), info.offset()));
      return new Frontier(next);
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
