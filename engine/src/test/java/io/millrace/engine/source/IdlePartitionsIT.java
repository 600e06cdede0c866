package io.millrace.engine.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.engine.SharedLog;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.operator.Analyzers;
import io.millrace.testing.Await;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Event time waits only for partitions with unread values. */
@ExtendWith(SharedLog.class)
class IdlePartitionsIT {
  private static final long START = 1_800_000_000_000_000L;
  private static final long SECOND = 1_000_000;
  private static final Duration IDLE_TIMEOUT = Duration.ofMillis(100);

  /** Positions of values, and of late ones; the job runs in this process. */
  private static final Set<String> SEEN = new ConcurrentSkipListSet<>();

  private static final Set<String> LATE = new ConcurrentSkipListSet<>();
  private static final AtomicLong EVENT_TIME = new AtomicLong();
  private static final AtomicInteger SLOW_POLLS = new AtomicInteger();

  @TempDir Path directory;

  private EmbeddedFlink flink;

  @BeforeEach
  void start() {
    SEEN.clear();
    LATE.clear();
    EVENT_TIME.set(0);
    SLOW_POLLS.set(0);
    flink = new EmbeddedFlink(FlinkConfig.defaults().withSlots(5), directory);
    flink.start();
  }

  @AfterEach
  void close() {
    flink.close();
  }

  /** A machine that is too busy to read. */
  public static final class SlowPolls implements ConsumerInterceptor<Object, Object> {
    @Override
    public ConsumerRecords<Object, Object> onConsume(ConsumerRecords<Object, Object> records) {
      if (SLOW_POLLS.getAndDecrement() > 0) {
        LockSupport.parkNanos(2 * IDLE_TIMEOUT.toNanos());
      }
      return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void configure(Map<String, ?> properties) {}

    @Override
    public void close() {}
  }

  private static final class Watch implements Analyzer<RawBatch, RawBatch> {
    private AnalyzerContext context;

    @Override
    public void open(AnalyzerContext opened) {
      context = opened;
    }

    @Override
    public void process(RawBatch batch, Emitter<RawBatch> out) {
      int cursor = batch.first();
      for (int i = batch.rows(); i > 0; i--, cursor = batch.next(cursor)) {
        String place = batch.partition() + "/" + batch.sourceOffset(cursor);
        if (time(batch, cursor) <= context.currentWatermark()) {
          LATE.add(place);
        }
        SEEN.add(place);
      }
    }

    @Override
    public void watermark(long micros, Emitter<RawBatch> out) {
      EVENT_TIME.accumulateAndGet(micros, Math::max);
    }
  }

  private static long time(RawBatch batch, int cursor) {
    return ByteBuffer.wrap(batch.bytes()).getLong(batch.payload(cursor));
  }

  private static long newest(RawBatch batch) {
    long newest = Long.MIN_VALUE;
    int cursor = batch.first();
    for (int i = batch.rows(); i > 0; i--, cursor = batch.next(cursor)) {
      newest = Math.max(newest, time(batch, cursor));
    }
    return newest;
  }

  private void run(String topic, int subtasks) {
    LogSource source =
        LogSource.ofMessages(
                SharedLog.bootstrapServers(),
                topic,
                Map.of("interceptor.classes", SlowPolls.class.getName(), "max.poll.records", "5"))
            .withRecordTimes(IdlePartitionsIT::newest, Duration.ZERO, IDLE_TIMEOUT);
    flink.submit(
        "silent",
        subtasks,
        steps ->
            Analyzers.analyze(
                source.addTo(steps, "values", subtasks),
                "watch",
                BlockTypeInfo.RAW,
                1,
                subtask -> new Watch()));
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> besides) {
    Map<String, Object> properties = new HashMap<>(besides);
    properties.put("bootstrap.servers", SharedLog.bootstrapServers());
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** One value per second. */
  private static void send(
      KafkaProducer<byte[], byte[]> producer, String topic, int partition, int seconds) {
    for (int i = 0; i < seconds; i++) {
      byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(START + i * SECOND).array();
      var unused = producer.send(new ProducerRecord<>(topic, partition, null, value));
    }
  }

  @Test
  void aPartitionThatWasNotReadYetIsWaitedFor() {
    String topic = SharedLog.newTopic(2);
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      send(producer, topic, 0, 60);
      send(producer, topic, 1, 60);
    }
    SLOW_POLLS.set(10);
    run(topic, 1);
    Await.until("all values", () -> SEEN.size() == 120);
    assertThat(LATE).isEmpty();
  }

  /**
   * One ends with a transaction marker, one was never written, and one was emptied; one reader has
   * no partition.
   */
  @Test
  void partitionsThatAreReadToTheirEndsAreNotWaitedFor() throws Exception {
    String topic = SharedLog.newTopic(4);
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of("transactional.id", topic))) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, topic, 0, 10);
      producer.commitTransaction();
    }
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      send(producer, topic, 1, 30);
      send(producer, topic, 3, 10);
    }
    SharedLog.deleteBefore(topic, new Frontier(Map.of(3, 10L)));
    run(topic, 5);
    Await.until("event time", () -> EVENT_TIME.get() >= START + 28 * SECOND);
    assertThat(SEEN).hasSize(40);
  }
}
