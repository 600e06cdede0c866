package io.millrace.engine.source;

import io.millrace.wire.block.RawBatch;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
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
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceOptions;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.reader.KafkaRecordEmitter;
import org.apache.flink.connector.kafka.source.reader.KafkaSourceReader;
import org.apache.flink.connector.kafka.source.reader.fetcher.KafkaSourceFetcherManager;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;

/**
 * Flink's source of a Kafka topic, but for its reader, which puts the values of a partition
 * together on the thread that fetches them ({@link MessageSplitReader}): everything behind that
 * thread sees one value in place of thousands. Splits and state are Flink's.
 */
final class MessageSource
    implements Source<RawBatch, KafkaPartitionSplit, KafkaSourceEnumState>,
        ResultTypeQueryable<RawBatch> {
  private static final long serialVersionUID = 1L;

  /** Small values that one poll gives at most: the bytes of a fetch are bounded besides. */
  private static final int POLL_VALUES = 32_768;

  private final KafkaSource<RawBatch> topic;
  private final Properties consumer;

  MessageSource(KafkaSource<RawBatch> topic, Properties consumer) {
    this.topic = topic;
    this.consumer = new Properties();
    this.consumer.putAll(consumer);
    this.consumer.setProperty(
        ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteBufferDeserializer.class.getName());
  }

  /** What a reader of a topic of others sets besides, with what the user wants of it. */
  static Map<String, String> consumer(Map<String, String> properties) {
    Map<String, String> all = new HashMap<>();
    all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(POLL_VALUES));
    all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
    all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
    all.put("client.id.prefix", "millrace-records");
    all.putAll(properties);
    return all;
  }

  @Override
  public SourceReader<RawBatch, KafkaPartitionSplit> createReader(SourceReaderContext context)
      throws Exception {
    MessageSchema schema = new MessageSchema();
    schema.open(new Context(context));
    KafkaSourceReaderMetrics metrics = new KafkaSourceReaderMetrics(context.metricGroup());
    FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> polls =
        new FutureCompletingBlockingQueue<>();
    return new KafkaSourceReader<>(
        polls,
        new KafkaSourceFetcherManager(
            polls, () -> new MessageSplitReader(consumer, context, metrics), finished -> {}),
        new KafkaRecordEmitter<>(schema),
        withoutCommits(context.getConfiguration()),
        context,
        metrics);
  }

  /** Offsets are in checkpoints: to commit them takes a consumer group, and there is none. */
  private static Configuration withoutCommits(Configuration job) {
    Configuration reader = new Configuration(job);
    reader.set(KafkaSourceOptions.COMMIT_OFFSETS_ON_CHECKPOINT, false);
    return reader;
  }

  private record Context(SourceReaderContext reader)
      implements DeserializationSchema.InitializationContext {
    @Override
    public MetricGroup getMetricGroup() {
      return reader.metricGroup();
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
