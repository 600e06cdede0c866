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
 * A topic as a stream of raw batches: one for each value of the log, or, of a topic whose values
 * are records of others, one for many of them ({@link #ofMessages}). A job that restores a
 * checkpoint goes on where that stood; another one starts at {@code from}.
 *
 * @param bootstrapServers of the log
 * @param topic to read
 * @param from first offset of each partition; {@link Frontier#EMPTY} for all that the log holds
 * @param until first offset of each partition that is not read, and the job ends there; empty to
 *     read for ever. Partitions that it does not name are not read
 * @param lateness how far event time stays behind the newest value of a partition; empty for a job
 *     that has no use for event time
 * @param silence after which a partition that is read to its end does not hold event time up
 * @param times tells the time of a value
 * @param ofRecords whether these are times of records, which event time follows value by value
 * @param messages properties of Kafka's consumer besides, where the values of a topic of others are
 *     put together; empty for values of the log
 * @param epoch of the topic; batches have its partition numbers
 */
@RecordBuilder
public record LogSource(
    String bootstrapServers,
    String topic,
    Frontier from,
    Optional<Frontier> until,
    Optional<Duration> lateness,
    Duration silence,
    ValueTimes times,
    boolean ofRecords,
    Optional<Map<String, String>> messages,
    LogEpoch epoch)
    implements LogSourceBuilder.With {
  /**
   * Times of values, in microseconds since the epoch: when a value arrived, or of the newest record
   * in it. Travels with the job.
   */
  @FunctionalInterface
  public interface ValueTimes extends Serializable {
    /**
     * No time is told: the value is not what it should be, and taken at its word it could stop all
     * clocks.
     */
    long UNKNOWN = Long.MIN_VALUE;

    /** Time of the value; {@link #UNKNOWN} if that cannot be told. */
    long micros(RawBatch value);

    /**
     * The same for a value that does not say itself when it arrived.
     *
     * @param logged when the log took it, microseconds since the epoch
     */
    default long micros(RawBatch value, long logged) {
      return micros(value);
    }
  }

  /** Counter: values that the log had deleted before the job came to read them. */
  public static final String SKIPPED_VALUES = "skippedLogValues";

  private static final Duration DISCOVERY = Duration.ofMinutes(1);

  /** After this long without a value a partition is asked for its end. */
  private static final Duration IDLE = Duration.ofSeconds(3);

  /** All of a topic, for ever. */
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
   * All of a topic of others, for ever: each batch is what one request has brought of a partition,
   * {@linkplain RawBatch#isMessages messages} with their offsets, since thousands of small values
   * cost too much one by one. Its own offset is that of its first message. Where batches end
   * depends on when they were read, and nothing may follow from it.
   *
   * @param properties of Kafka's consumer besides, for access to a cluster of others
   */
  public static LogSource ofMessages(
      String bootstrapServers, String topic, Map<String, String> properties) {
    return of(bootstrapServers, topic).withMessages(Optional.of(Map.copyOf(properties)));
  }

  /** The same from other offsets on. */
  public LogSource startingAt(Frontier from) {
    return withFrom(from);
  }

  /** The same, ending before other offsets. */
  public LogSource endingAt(Frontier until) {
    return withUntil(Optional.of(until));
  }

  /**
   * The same with event time: that of a batch is the arrival of its first datagram, in milliseconds
   * as Flink counts. The least of all partitions holds, but for those that have been read to their
   * end and bring nothing for a while: they do not hold time up. Where nothing comes from any, time
   * stands still, but for steps that go on by the clock then; a source that ends lets time run out.
   * A partition that speaks again holds time at its first value for some seconds, in which others
   * that were silent beside it are read.
   *
   * @param bound how far a batch may be behind the newest of its partition and still not be late
   */
  public LogSource withWatermarks(Duration bound) {
    return withLateness(Optional.of(bound));
  }

  /**
   * The same with event time from the records: that of a partition is the time of its newest record
   * so far. It follows each value, and not the clock, so that the same values of a partition give
   * the same times in front of the same values whenever they are read, but for some seconds behind
   * a silence. The least of all partitions holds, as with {@link #withWatermarks}; a partition that
   * is read to its end and brings nothing is left out of it until it speaks, and may then be late
   * where others spoke meanwhile.
   *
   * @param newest time of the newest record of a value. A time that a sender may choose has to be
   *     bounded here by that of arrival: a record from the future makes all others late
   * @param bound how much older than the newest record of its partition another may be, and not be
   *     late
   * @param after how long a partition has to bring nothing to be left out, when it is read to its
   *     end; long enough for a sender that writes it in bursts
   */
  public LogSource withRecordTimes(ValueTimes newest, Duration bound, Duration after) {
    if (bound.isNegative() || after.toMillis() < 1) {
      throw new IllegalArgumentException(
          "lateness " + bound + ", silence " + after + ": at least 0, and at least 1 ms");
    }
    return with(
        source -> source.lateness(Optional.of(bound)).silence(after).times(newest).ofRecords(true));
  }

  /**
   * Puts the source into a job.
   *
   * @param uid under which its offsets stand in checkpoints, in the first epoch; never to be
   *     changed
   * @param parallelism number of readers; more than partitions are idle
   */
  public DataStream<RawBatch> addTo(StreamExecutionEnvironment job, String uid, int parallelism) {
    return job.fromSource(flinkSource(), watermarks(), uid)
        .uid(epoch.uid(uid))
        .setParallelism(parallelism);
  }

  private WatermarkStrategy<RawBatch> watermarks() {
    if (lateness.isEmpty()) {
      return WatermarkStrategy.noWatermarks();
    }
    ValueTimes of = times;
    Duration bound = lateness.get();
    boolean isOfRecords = ofRecords;
    Duration after = silence;
    return WatermarkStrategy.<RawBatch>forGenerator(
            partition -> new PartitionTimes(bound, isOfRecords, after, System::nanoTime))
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
