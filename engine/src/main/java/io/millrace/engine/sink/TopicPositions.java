package io.millrace.engine.sink;

import io.millrace.wire.block.Frontier;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Which blocks a topic has: the places in the log of all that was committed since some checkpoint,
 * from a topic of one partition beside it.
 *
 * <pre>
 *   0      1
 *   +------+-----------------------------------------------------------+
 *   | 'B'  | partition (4 bytes), offset (8), index (4) of a block's    |
 *   |      | first row; any number                                     |
 *   | 'P'  | the same without index, of values with one block          |
 *   | 'T'  | ticket (8 bytes): of a life that has begun                |
 *   +------+-----------------------------------------------------------+
 * </pre>
 *
 * Used by one thread.
 */
final class TopicPositions {
  static final byte PLACES = 'B';
  private static final byte PLACES_WITHOUT_INDEX = 'P';
  static final byte TICKET = 'T';
  static final int PLACE_LENGTH = Integer.BYTES + Long.BYTES + Integer.BYTES;

  /** Where in a partition a block begins. */
  private record Place(long offset, int index) {}

  private static final Duration POLL = Duration.ofMillis(200);

  /** A checkpoint may be lost on disk, and one before it do: so many of them stay provided for. */
  private static final int CHECKPOINTS_KEPT = 4;

  private final TopicSink sink;
  private final TopicPartition partition;
  private final Map<Integer, Set<Place>> written = new HashMap<>();
  private final Deque<Long> ends = new ArrayDeque<>();
  private long newestTicket = Long.MIN_VALUE;

  TopicPositions(TopicSink sink) {
    this.sink = sink;
    partition = new TopicPartition(TopicSink.positionsTopic(sink.topic()), 0);
  }

  /** Reads what is committed up to now. */
  void read() {
    Map<String, Object> options = sink.clientOptions();
    options.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    options.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    options.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    options.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(options, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          take(ByteBuffer.wrap(record.value()));
        }
      }
    }
  }

  private void take(ByteBuffer record) {
    byte kind = record.get();
    if (kind == TICKET) {
      newestTicket = Math.max(newestTicket, record.getLong());
      return;
    }
    boolean hasIndex = kind != PLACES_WITHOUT_INDEX;
    while (record.hasRemaining()) {
      Set<Place> places = written.computeIfAbsent(record.getInt(), p -> new HashSet<>());
      places.add(new Place(record.getLong(), hasIndex ? record.getInt() : 0));
    }
  }

  /** The greatest ticket of all lives that have begun. */
  long newestTicket() {
    return newestTicket;
  }

  /** Whether the topic has the block of that place. */
  boolean contains(int logPartition, long offset, int index) {
    Set<Place> places = written.get(logPartition);
    return places != null && places.contains(new Place(offset, index));
  }

  /** Forgets what a replay will not bring any more. */
  void forget(Frontier covered) {
    written.forEach(
        (logPartition, places) ->
            places.removeIf(place -> covered.covers(logPartition, place.offset())));
    written.values().removeIf(Set::isEmpty);
  }

  /**
   * Deletes what stood there before the checkpoints that are provided for. What stands there when a
   * checkpoint has completed was written before the barrier of the next one, and is covered by it.
   */
  void prune(Admin admin) throws InterruptedException {
    try {
      ends.add(
          admin
              .listOffsets(Map.of(partition, org.apache.kafka.clients.admin.OffsetSpec.latest()))
              .partitionResult(partition)
              .get()
              .offset());
      if (ends.size() > CHECKPOINTS_KEPT) {
        var unused =
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(ends.remove())));
      }
    } catch (ExecutionException e) {
      ends.clear(); // it is pruned later: nothing depends on it but room
    }
  }
}
