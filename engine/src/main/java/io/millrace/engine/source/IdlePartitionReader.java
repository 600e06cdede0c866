package io.millrace.engine.source;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Detects idle partitions: without values for some time <em>and</em> read to the end, since a busy
 * machine or slow broker may also cause a pause. The partition's end is compared with the
 * consumer's position, which includes offsets without values (transaction markers, compacted
 * values). Emits {@link #SILENT} after the partition's last value.
 *
 * <p>A separate consumer requests the end: a broker responds to the requests of a connection in
 * order, and a waiting fetch would delay the response by up to half a second.
 */
final class IdlePartitionReader
    implements SplitReader<ConsumerRecord<byte[], byte[]>, KafkaPartitionSplit> {
  /** Pseudo-value: the partition is idle until its next value. */
  static final ConsumerRecord<byte[], byte[]> SILENT = new ConsumerRecord<>("", 0, 0, null, null);

  /** Maximum wait for the response, during which no partition is read. */
  private static final Duration ANSWER = Duration.ofSeconds(1);

  /** Number of checks of a partition per idle timeout. */
  private static final int LOOKS = 4;

  private final SplitReader<ConsumerRecord<byte[], byte[]>, KafkaPartitionSplit> reader;
  private final Consumer<?, ?> consumer;
  private final Supplier<Consumer<?, ?>> another;
  private final long silenceNanos;
  private final LongSupplier clock;

  private final Map<TopicPartition, Place> places = new HashMap<>();
  private final AtomicBoolean wakes = new AtomicBoolean();
  private Consumer<?, ?> asking;
  private long askAt;

  /** Read position of a partition, and the time since it was reached or last reported idle. */
  private record Place(long position, long since) {}

  IdlePartitionReader(
      SplitReader<ConsumerRecord<byte[], byte[]>, KafkaPartitionSplit> reader,
      Consumer<?, ?> consumer,
      Supplier<Consumer<?, ?>> another,
      Duration silence,
      LongSupplier clock) {
    this.reader = reader;
    this.consumer = consumer;
    this.another = another;
    this.silenceNanos = silence.toNanos();
    this.clock = clock;
    askAt = clock.getAsLong();
  }

  @Override
  public RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch() throws IOException {
    endPollSoon();
    RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> poll = reader.fetch();
    List<String> silent = silent();
    return silent.isEmpty() ? poll : new WithSilent(poll, silent.iterator());
  }

  private void endPollSoon() {
    if (wakes.compareAndSet(false, true)) {
      CompletableFuture.delayedExecutor(silenceNanos / LOOKS, TimeUnit.NANOSECONDS, Runnable::run)
          .execute(
              () -> {
                wakes.set(false);
                reader.wakeUp();
              });
    }
  }

  /**
   * Idle splits. Each is reported again after each timeout, since a later time of its last value
   * may have made it active.
   */
  private List<String> silent() {
    long now = clock.getAsLong();
    try {
      List<TopicPartition> quiet = quiet(now);
      if (quiet.isEmpty() || now - askAt < 0) {
        return List.of();
      }
      List<String> silent = readToTheirEnds(quiet);
      askAt = clock.getAsLong() + silenceNanos / LOOKS;
      return silent;
    } catch (KafkaException e) { // no response in time, or woken up before
      askAt = clock.getAsLong() + silenceNanos;
      return List.of();
    }
  }

  private List<TopicPartition> quiet(long now) {
    List<TopicPartition> quiet = new ArrayList<>();
    for (TopicPartition partition : consumer.assignment()) {
      long position = consumer.position(partition);
      Place place = places.get(partition);
      if (place == null || place.position() != position) {
        places.put(partition, new Place(position, now));
      } else if (now - place.since() >= silenceNanos) {
        quiet.add(partition);
      }
    }
    return quiet;
  }

  private List<String> readToTheirEnds(List<TopicPartition> quiet) {
    asking = asking == null ? another.get() : asking;
    Map<TopicPartition, Long> ends = asking.endOffsets(quiet, ANSWER);
    List<String> splits = new ArrayList<>();
    for (TopicPartition partition : quiet) {
      Place place = places.get(partition);
      if (place.position() >= ends.get(partition)) {
        places.put(partition, new Place(place.position(), clock.getAsLong()));
        splits.add(KafkaPartitionSplit.toSplitId(partition));
      }
    }
    return splits;
  }

  @Override
  public void handleSplitsChanges(SplitsChange<KafkaPartitionSplit> changes) {
    reader.handleSplitsChanges(changes);
  }

  @Override
  public void pauseOrResumeSplits(
      Collection<KafkaPartitionSplit> paused, Collection<KafkaPartitionSplit> resumed) {
    reader.pauseOrResumeSplits(paused, resumed);
  }

  @Override
  public void wakeUp() {
    reader.wakeUp();
  }

  @Override
  public void close() throws Exception {
    try {
      reader.close();
    } finally {
      if (asking != null) {
        asking.close(CloseOptions.timeout(Duration.ZERO));
      }
    }
  }

  /** Records of a poll, followed by {@link #SILENT} for idle splits, which have no values in it. */
  private static final class WithSilent
      implements RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> {
    private final RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> poll;
    private final Iterator<String> silent;
    private boolean isPollOver;
    private ConsumerRecord<byte[], byte[]> next;

    WithSilent(RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> poll, Iterator<String> silent) {
      this.poll = poll;
      this.silent = silent;
    }

    @Override
    public String nextSplit() {
      String split = isPollOver ? null : poll.nextSplit();
      if (split != null) {
        return split;
      }
      isPollOver = true;
      next = SILENT;
      return silent.hasNext() ? silent.next() : null;
    }

    @Override
    public ConsumerRecord<byte[], byte[]> nextRecordFromSplit() {
      if (!isPollOver) {
        return poll.nextRecordFromSplit();
      }
      ConsumerRecord<byte[], byte[]> record = next;
      next = null;
      return record;
    }

    @Override
    public Set<String> finishedSplits() {
      return poll.finishedSplits();
    }

    @Override
    public void recycle() {
      poll.recycle();
    }
  }
}
