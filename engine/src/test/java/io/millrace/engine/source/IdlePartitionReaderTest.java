package io.millrace.engine.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A partition is idle if it is read to its end, not merely without values for a while. */
class IdlePartitionReaderTest {
  private static final TopicPartition FIRST = new TopicPartition("log", 0);
  private static final TopicPartition SECOND = new TopicPartition("log", 1);
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(3);

  /** The clock, which may overflow. */
  private long nanos = Long.MAX_VALUE - 1;

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final Polls polls = new Polls();
  private final IdlePartitionReader reader =
      new IdlePartitionReader(polls, consumer, () -> consumer, IDLE_TIMEOUT, () -> nanos);

  @BeforeEach
  void bothPartitionsAreReadToTheirEnds() throws Exception {
    consumer.assign(List.of(FIRST, SECOND));
    at(FIRST, 100, 100);
    at(SECOND, 0, 0);
    poll();
  }

  /** Polls with given results. */
  private static final class Polls
      implements SplitReader<ConsumerRecord<byte[], byte[]>, KafkaPartitionSplit> {
    private final CountDownLatch woken = new CountDownLatch(1);
    private Collection<ConsumerRecord<byte[], byte[]>> next = List.of();
    private boolean isWaiting;

    @Override
    public RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch() throws IOException {
      try {
        assertThat(!isWaiting || woken.await(1, TimeUnit.MINUTES)).isTrue();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      Map<String, Collection<ConsumerRecord<byte[], byte[]>>> values =
          next.isEmpty() ? Map.of() : Map.of("log-0", next);
      next = List.of();
      return new RecordsBySplits<>(values, Set.of("log-7"));
    }

    @Override
    public void handleSplitsChanges(SplitsChange<KafkaPartitionSplit> changes) {}

    @Override
    public void wakeUp() {
      woken.countDown();
    }

    @Override
    public void close() {}
  }

  private void at(TopicPartition partition, long position, long end) {
    consumer.seek(partition, position);
    consumer.updateEndOffsets(Map.of(partition, end));
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  private static ConsumerRecord<byte[], byte[]> first(long offset) {
    return new ConsumerRecord<>("log", 0, offset, null, new byte[0]);
  }

  /** Results of the next poll: splits, each with the offsets of its values or as silent. */
  private List<String> poll() throws IOException {
    RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> poll = reader.fetch();
    List<String> all = new ArrayList<>();
    for (String split; (split = poll.nextSplit()) != null; ) {
      for (ConsumerRecord<?, ?> value; (value = poll.nextRecordFromSplit()) != null; ) {
        all.add(split + (value == IdlePartitionReader.SILENT ? " silent" : " " + value.offset()));
      }
    }
    assertThat(poll.finishedSplits()).containsExactly("log-7");
    return all;
  }

  @Test
  void readToTheirEndsForAWhile() throws Exception {
    assertThat(poll()).isEmpty();
    pass(IDLE_TIMEOUT.minusNanos(1));
    assertThat(poll()).isEmpty();
    pass(Duration.ofNanos(1));
    assertThat(poll()).containsExactlyInAnyOrder("log-0 silent", "log-1 silent");
    pass(IDLE_TIMEOUT.minusNanos(1));
    assertThat(poll()).isEmpty();
    pass(Duration.ofNanos(1));
    assertThat(poll()).as("reported again, in case something made them active").hasSize(2);
  }

  @Test
  void aSlowReaderWhoseLogHasMoreIsNotIdle() throws Exception {
    at(FIRST, 100, 103);
    for (int i = 0; i < 10; i++) {
      pass(IDLE_TIMEOUT);
      assertThat(poll()).containsExactly("log-1 silent");
    }
    polls.next = List.of(first(100), first(101));
    consumer.seek(FIRST, 102);
    assertThat(poll()).containsExactly("log-0 100", "log-0 101");
    pass(IDLE_TIMEOUT);
    assertThat(poll()).as("one more in the log").containsExactly("log-1 silent");
    consumer.seek(FIRST, 103); // a transaction marker: not a value, but read
    assertThat(poll()).isEmpty();
    pass(IDLE_TIMEOUT);
    assertThat(poll()).contains("log-0 silent");
  }

  @Test
  void anActivePartitionCanBecomeIdleAgain() throws Exception {
    pass(IDLE_TIMEOUT);
    assertThat(poll()).hasSize(2);
    pass(Duration.ofSeconds(1));
    at(SECOND, 1, 1);
    assertThat(poll()).isEmpty();
    pass(IDLE_TIMEOUT.minusSeconds(1));
    assertThat(poll()).containsExactly("log-0 silent");
    pass(Duration.ofSeconds(1));
    assertThat(poll()).containsExactly("log-1 silent");
  }

  @Test
  void withoutAResponseOfTheBrokerAPartitionIsNotIdle() throws Exception {
    consumer.setOffsetsException(new TimeoutException("slow"));
    pass(IDLE_TIMEOUT);
    assertThat(poll()).isEmpty();
    assertThat(poll()).as("not asked at once again").isEmpty();
    pass(IDLE_TIMEOUT);
    assertThat(poll()).hasSize(2);
  }

  @Test
  void silenceFollowsTheValuesOfItsPoll() throws Exception {
    pass(IDLE_TIMEOUT);
    polls.next = List.of(first(100));
    at(FIRST, 101, 101);
    assertThat(poll()).containsExactly("log-0 100", "log-1 silent");
  }

  @Test
  void aPollDoesNotLastUntilAValueComes() throws Exception {
    polls.isWaiting = true;
    assertThat(poll()).isEmpty();
    assertThat(polls.woken.getCount()).isZero();
  }
}
