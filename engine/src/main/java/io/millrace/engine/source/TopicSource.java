package io.millrace.engine.source;

import io.millrace.wire.block.RawBatch;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceOptions;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.reader.KafkaPartitionSplitReader;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.connector.kafka.source.reader.fetcher.KafkaSourceFetcherManager;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;

/**
 * Flink's Kafka source, with readers that detect idle partitions ({@link IdlePartitionReader}) and
 * combine external messages on the fetcher thread ({@link MessageSplitReader}).
 */
final class TopicSource
    implements Source<RawBatch, KafkaPartitionSplit, KafkaSourceEnumState>,
        ResultTypeQueryable<RawBatch> {
  private static final long serialVersionUID = 1L;

  /** Maximum number of small values per poll: the bytes of a fetch are bounded as well. */
  private static final int POLL_VALUES = 32_768;

  private final KafkaSource<RawBatch> topic;
  private final Properties consumer;
  private final boolean isOfMessages;
  private final Duration silence;
  private final int epoch;

  TopicSource(
      KafkaSource<RawBatch> topic,
      Properties consumer,
      boolean isOfMessages,
      Duration silence,
      int epoch) {
    this.topic = topic;
    this.consumer = new Properties();
    this.consumer.putAll(consumer);
    Class<?> key = ByteArrayDeserializer.class;
    Class<?> value = isOfMessages ? ByteBufferDeserializer.class : key;
    this.consumer.setProperty(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, key.getName());
    this.consumer.setProperty(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, value.getName());
    this.isOfMessages = isOfMessages;
    this.silence = silence;
    this.epoch = epoch;
  }

  static Map<String, String> ofMessages(Map<String, String> properties) {
    Map<String, String> all = new HashMap<>();
    all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(POLL_VALUES));
    all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    all.putAll(properties);
    return all;
  }

  @Override
  public SourceReader<RawBatch, KafkaPartitionSplit> createReader(SourceReaderContext context)
      throws Exception {
    KafkaRecordDeserializationSchema<RawBatch> schema = schema(isOfMessages, epoch);
    schema.open(new Context(context));
    ReaderMetrics metrics = new ReaderMetrics(context.metricGroup());
    FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> polls =
        new FutureCompletingBlockingQueue<>();
    return new TopicReader(
        polls,
        new KafkaSourceFetcherManager(polls, () -> splitReader(context, metrics), finished -> {}),
        schema,
        silence,
        withoutCommits(context.getConfiguration()),
        context,
        metrics);
  }

  static KafkaRecordDeserializationSchema<RawBatch> schema(boolean isOfMessages, int epoch) {
    return isOfMessages ? new MessageSchema(epoch) : new RawBatchSchema(epoch);
  }

  private SplitReader<ConsumerRecord<byte[], byte[]>, KafkaPartitionSplit> splitReader(
      SourceReaderContext context, ReaderMetrics metrics) {
    KafkaPartitionSplitReader partitions =
        isOfMessages
            ? new MessageSplitReader(consumer, context, metrics)
            : new KafkaPartitionSplitReader(consumer, context, metrics);
    return new IdlePartitionReader(
        partitions, metrics.consumer, this::another, silence, System::nanoTime);
  }

  private Consumer<?, ?> another() {
    Properties asking = new Properties();
    asking.putAll(consumer);
    asking.setProperty(
        ConsumerConfig.CLIENT_ID_CONFIG, "ends-" + UUID.randomUUID()); // readers have their own
    return new KafkaConsumer<>(asking);
  }

  private static final class ReaderMetrics extends KafkaSourceReaderMetrics {
    private KafkaConsumer<?, ?> consumer;

    ReaderMetrics(SourceReaderMetricGroup group) {
      super(group);
    }

    @Override
    public void registerNumBytesIn(KafkaConsumer<?, ?> reading) {
      consumer = reading;
      super.registerNumBytesIn(reading);
    }
  }

  /** Disables commits of offsets: they are in checkpoints, and there is no consumer group. */
  private static Configuration withoutCommits(Configuration job) {
    Configuration reader = new Configuration(job);
    reader.set(KafkaSourceOptions.COMMIT_OFFSETS_ON_CHECKPOINT, false);
    return reader;
  }

  private record Context(SourceReaderContext reader)
      implements DeserializationSchema.InitializationContext {
    @Override
    public MetricGroup getMetricGroup() {
      return reader.metricGroup().addGroup("deserializer");
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
      return reader.getUserCodeClassLoader();
    }
  }

  @Override
  public Boundedness getBoundedness() {
    return topic.getBoundedness();
  }

  @Override
  public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> createEnumerator(
      SplitEnumeratorContext<KafkaPartitionSplit> context) {
    return topic.createEnumerator(context);
  }

  @Override
  public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> restoreEnumerator(
      SplitEnumeratorContext<KafkaPartitionSplit> context, KafkaSourceEnumState state)
      throws Exception {
    return topic.restoreEnumerator(context, state);
  }

  @Override
  public SimpleVersionedSerializer<KafkaPartitionSplit> getSplitSerializer() {
    return topic.getSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<KafkaSourceEnumState> getEnumeratorCheckpointSerializer() {
    return topic.getEnumeratorCheckpointSerializer();
  }

  @Override
  public TypeInformation<RawBatch> getProducedType() {
    return topic.getProducedType();
  }
}
