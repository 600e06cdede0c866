package io.millrace.engine.source;

import io.millrace.wire.block.RawBatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.reader.KafkaRecordEmitter;
import org.apache.flink.connector.kafka.source.reader.KafkaSourceReader;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.connector.kafka.source.reader.fetcher.KafkaSourceFetcherManager;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplitState;
import org.apache.flink.core.io.InputStatus;
import org.apache.kafka.clients.consumer.ConsumerRecord;

final class TopicReader extends KafkaSourceReader<RawBatch> {
  private final long silenceNanos;
  private long started;

  TopicReader(
      FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> polls,
      KafkaSourceFetcherManager fetchers,
      KafkaRecordDeserializationSchema<RawBatch> schema,
      Duration silence,
      Configuration settings,
      SourceReaderContext context,
      KafkaSourceReaderMetrics metrics) {
    super(polls, fetchers, new SilenceEmitter(schema), settings, context, metrics);
    silenceNanos = silence.toNanos();
  }

  @Override
  public void start() {
    super.start();
    started = System.nanoTime();
    CompletableFuture.delayedExecutor(silenceNanos, TimeUnit.NANOSECONDS, Runnable::run)
        .execute(splitFetcherManager.getQueue()::notifyAvailable);
  }

  @Override
  public InputStatus pollNext(ReaderOutput<RawBatch> output) throws Exception {
    InputStatus status = super.pollNext(output);
    if (status == InputStatus.NOTHING_AVAILABLE
        && getNumberOfCurrentlyAssignedSplits() == 0
        && System.nanoTime() - started >= silenceNanos) {
      output.markIdle();
    }
    return status;
  }

  private static final class SilenceEmitter extends KafkaRecordEmitter<RawBatch> {
    SilenceEmitter(KafkaRecordDeserializationSchema<RawBatch> schema) {
      super(schema);
    }

    @Override
    public void emitRecord(
        ConsumerRecord<byte[], byte[]> value,
        SourceOutput<RawBatch> output,
        KafkaPartitionSplitState place)
        throws Exception {
      if (value == IdlePartitionReader.SILENT) {
        output.markIdle();
      } else {
        super.emitRecord(value, output, place);
      }
    }
  }
}
