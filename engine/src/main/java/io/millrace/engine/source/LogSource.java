package io.millrace.engine.source;

import io.millrace.engine.log.LogClients;
import io.millrace.engine.log.LogEpoch;
import io.millrace.engine.operator.EventTime;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.Serializable;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.KafkaSourceOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * A topic as a stream of raw batches: one per value of the log, or, for an external topic of small
 * messages, one per many messages ({@link #ofMessages}). A job continues from the restored
 * checkpoint, or else starts at {@code from}.
 *
 * @param bootstrapServers of the log
 * @param topic to read
 * @param from first offset of each partition; {@link Frontier#EMPTY} for the whole log
 * @param until first offset of each partition that is not read; the job ends there. Empty to read
 *     forever. Partitions that are not listed are not read
 * @param watermarkDelay delay of the watermark after the newest value of a partition; empty for a
 *     job without event time
 * @param silence time without values after which a partition that is read to its end is idle
 * @param times extracts the time of a value
 * @param ofRecords whether these are record times, which advance the watermark with each value,
 *     instead of arrival times
 * @param messages further properties of the Kafka consumer for an external topic whose messages are
 *     batched; empty for values of the log
 * @param epoch of the topic, which is part of the batches' partition numbers
 */
@RecordBuilder
public record LogSource(
    String bootstrapServers,
    String topic,
    Frontier from,
    Optional<Frontier> until,
    Optional<Duration> watermarkDelay,
    Duration silence,
    ValueTimes times,
    boolean ofRecords,
    Optional<Map<String, String>> messages,
    LogEpoch epoch)
    implements LogSourceBuilder.With {
  /**
   * Extracts times of values, in microseconds since the epoch: arrival, or that of the newest
   * record. Serialised with the job.
   */
  @FunctionalInterface
  public interface ValueTimes extends Serializable {
    /** Unknown time of a malformed value; any other time could stop the watermark. */
    long UNKNOWN = Long.MIN_VALUE;

    /** Time of the value; {@link #UNKNOWN} if it has none. */
    long micros(RawBatch value);

    /**
     * Time of a value that does not contain its arrival.
     *
     * @param logged append time, microseconds since the epoch
     */
    default long micros(RawBatch value, long logged) {
      return micros(value);
    }
  }

  /** Counter: values that the log deleted before the job read them. */
  public static final String SKIPPED_VALUES = "skippedLogValues";

  private static final Duration DISCOVERY = Duration.ofMinutes(1);

  private static final Duration IDLE = Duration.ofSeconds(3);

  /** Reads the whole topic, without end. */
  public static LogSource of(String bootstrapServers, String topic) {
    return new LogSource(
        bootstrapServers,
        topic,
        Frontier.EMPTY,
        Optional.empty(),
        Optional.empty(),
        IDLE,
        LogSource::ofFirstDatagram,
        false,
        Optional.empty(),
        LogEpoch.FIRST);
  }

  /**
   * Reads the whole external topic, without end. A batch has the {@linkplain RawBatch#isMessages
   * messages} with offsets that one fetch has returned for a partition, since thousands of small
   * values are too expensive one by one; its own offset is that of its first message. Batch
   * boundaries depend on timing, so nothing may depend on them.
   *
   * @param properties further properties of the Kafka consumer, for access to an external cluster
   */
  public static LogSource ofMessages(
      String bootstrapServers, String topic, Map<String, String> properties) {
    return of(bootstrapServers, topic).withMessages(Optional.of(Map.copyOf(properties)));
  }

  /** This source, starting at other offsets. */
  public LogSource startingAt(Frontier from) {
    return withFrom(from);
  }

  /** This source, ending before other offsets. */
  public LogSource endingAt(Frontier until) {
    return withUntil(Optional.of(until));
  }

  /**
   * Returns a source with watermarks from arrival times. The event time of a batch is the arrival
   * of its first datagram. The watermark is the minimum over all partitions that are not idle. If
   * all are idle, it stops, except in steps that advance it by the clock. A partition that becomes
   * active again holds the watermark at its first value for some seconds, so that other formerly
   * idle partitions are read.
   *
   * @param delay delay of the watermark after the newest batch of a partition
   */
  public LogSource withWatermarks(Duration delay) {
    return withWatermarkDelay(Optional.of(delay));
  }

  /**
   * Returns a source with watermarks from the event times of records. Watermarks depend on values,
   * not on the clock, so a replay of a partition gives the same watermarks, except for some seconds
   * after idleness. The minimum over all partitions applies, as with {@link #withWatermarks}.
   * Records of a formerly idle partition are late if others have advanced meanwhile.
   *
   * @param newest returns the time of the newest record of a value; must limit a time chosen by a
   *     sender to the arrival, since a record from the future would make all others late
   * @param delay delay of the watermark after the newest record of a partition
   * @param idleTimeout time without values after which a partition that is read to its end is idle;
   *     longer than the pauses between the bursts of a sender
   */
  public LogSource withRecordTimes(ValueTimes newest, Duration delay, Duration idleTimeout) {
    if (delay.isNegative() || idleTimeout.toMillis() < 1) {
      throw new IllegalArgumentException(
          "watermark delay "
              + delay
              + ", idle timeout "
              + idleTimeout
              + ": expected at least 0, and at least 1 ms");
    }
    return with(
        source ->
            source
                .watermarkDelay(Optional.of(delay))
                .silence(idleTimeout)
                .times(newest)
                .ofRecords(true));
  }

  /**
   * Adds the source to a job.
   *
   * @param uid of its offsets in checkpoints, in the first epoch; must never change
   * @param parallelism number of readers; those beyond the number of partitions are idle
   */
  public DataStream<RawBatch> addTo(StreamExecutionEnvironment job, String uid, int parallelism) {
    return job.fromSource(flinkSource(), watermarks(), uid)
        .uid(epoch.uid(uid))
        .setParallelism(parallelism);
  }

  private WatermarkStrategy<RawBatch> watermarks() {
    if (watermarkDelay.isEmpty()) {
      return WatermarkStrategy.noWatermarks();
    }
    ValueTimes of = times;
    Duration bound = watermarkDelay.get();
    boolean isOfRecords = ofRecords;
    Duration after = silence;
    return WatermarkStrategy.<RawBatch>forGenerator(
            partition -> new PartitionWatermarks(bound, isOfRecords, after, System::nanoTime))
        .withTimestampAssigner((value, logged) -> millis(of.micros(value, logged * 1_000)));
  }

  private static long millis(long micros) {
    return micros == ValueTimes.UNKNOWN ? Long.MIN_VALUE : EventTime.millis(micros);
  }

  private static long ofFirstDatagram(RawBatch batch) {
    return batch.isSound() && batch.rows() > 0 ? batch.time(batch.first()) : ValueTimes.UNKNOWN;
  }

  private Source<RawBatch, ?, ?> flinkSource() {
    boolean isOfMessages = messages.isPresent();
    Properties consumer = new Properties();
    consumer.putAll(LogClients.consumerProperties());
    consumer.setProperty(
        KafkaSourceOptions.CLIENT_ID_PREFIX.key(), topic + '-' + UUID.randomUUID());
    consumer.setProperty(KafkaSourceOptions.COMMIT_OFFSETS_ON_CHECKPOINT.key(), "false");
    consumer.setProperty(
        KafkaSourceOptions.PARTITION_DISCOVERY_INTERVAL_MS.key(),
        Long.toString(until.isPresent() ? -1 : DISCOVERY.toMillis()));
    messages.ifPresent(properties -> consumer.putAll(TopicSource.ofMessages(properties)));
    consumer.setProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    KafkaSourceBuilder<RawBatch> builder =
        KafkaSource.<RawBatch>builder()
            .setTopics(topic)
            .setStartingOffsets(new FrontierOffsets(from, FrontierOffsets.Clamp.TO_BEGIN))
            .setDeserializer(TopicSource.schema(isOfMessages, epoch.number()))
            .setProperties(consumer);
    until.ifPresent(
        end -> builder.setBounded(new FrontierOffsets(end, FrontierOffsets.Clamp.TO_END)));
    return new TopicSource(builder.build(), consumer, isOfMessages, silence, epoch.number());
  }
}
