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
 * Tells which partitions are silent: nothing has come from them for a while, <em>and</em> they are
 * read to their end. That nothing comes says little by itself. A busy machine, a slow broker or
 * another partition with much to read looks the same, and the log still has values.
 *
 * <p>So the broker is asked where the partition ends, and the place of the consumer is compared
 * with it: that also passes what is no value (marks of transactions, values that compaction has
 * removed). A broker that does not answer in time has not said that there is nothing more. {@link
 * #SILENT} stands behind the partition's last value then, so whoever takes it has taken all values
 * before.
 *
 * <p>A consumer of its own asks: a broker answers the requests of a connection one after the other,
 * and a fetch that waits for values is answered half a second later.
 */
final class SilenceSplitReader
    implements SplitReader<ConsumerRecord<byte[], byte[]>, KafkaPartitionSplit> {
  /** In place of a value: the partition is silent from here on, until its next value. */
  static final ConsumerRecord<byte[], byte[]> SILENT = new ConsumerRecord<>("", 0, 0, null, null);

  /** No partition is read while an answer is awaited. */
  private static final Duration ANSWER = Duration.ofSeconds(1);

  /** A partition is looked at this often in the time that it has to be without a value. */
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

  /**
   * Where a partition is read.
   *
   * @param position of the next value
   * @param since when the position is that, or the partition was told to be silent there, by the
   *     clock
   */
  private record Place(long position, long since) {}

  /**
   * @param reader of the partitions
   * @param consumer by which it reads them
   * @param another makes another one, when the first partition is asked for its end
   * @param silence how long nothing has come from a silent partition
   * @param clock nanoseconds from any moment on
   */
  SilenceSplitReader(
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

  /** A poll waits for values far longer than a partition is silent. */
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
   * Splits that are silent. Each is told again after as long: a time of its last value that was
   * told behind the first word of it would let it hold event time again.
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
    } catch (KafkaException e) { // no answer in time, or woken before it came
      askAt = clock.getAsLong() + silenceNanos;
      return List.of();
    }
  }

  /** Partitions from which nothing has come for long enough. */
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

  /** A poll, and behind it the splits that are silent: it has brought nothing of these. */
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
