package io.millrace.engine.source;

import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.reader.KafkaPartitionSplitReader;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Puts what a poll has brought of a partition together: one value, a {@link RawBatch} of messages,
 * with the offset of the <em>last</em> of them, since Flink's reader takes what follows a value's
 * offset as the place where a checkpoint goes on.
 */
final class MessageSplitReader extends KafkaPartitionSplitReader {
  /** A batch that is longer is not added to. */
  private static final int FULL_BYTES = 1 << 20;

  private static final long MICROS = 1_000;

  /** Used again and again, so that it has grown. */
  private final RawBatch.Writer batch = RawBatch.Writer.ofValues();

  MessageSplitReader(
      Properties consumer, SourceReaderContext context, KafkaSourceReaderMetrics metrics) {
    super(consumer, context, metrics);
  }

  @Override
  public RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch() throws IOException {
    RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> poll = super.fetch();
    Map<String, Collection<ConsumerRecord<byte[], byte[]>>> batches = new HashMap<>();
    for (String split; (split = poll.nextSplit()) != null; ) {
      List<ConsumerRecord<byte[], byte[]>> packed = pack(poll);
      if (!packed.isEmpty()) {
        batches.put(split, packed);
      }
    }
    RecordsBySplits<ConsumerRecord<byte[], byte[]>> all =
        new RecordsBySplits<>(batches, poll.finishedSplits());
    poll.recycle();
    return all;
  }

  private List<ConsumerRecord<byte[], byte[]>> pack(
      RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> poll) {
    List<ConsumerRecord<byte[], byte[]>> packed = new ArrayList<>();
    ConsumerRecord<byte[], byte[]> last = null;
    for (ConsumerRecord<byte[], byte[]> message; (message = poll.nextRecordFromSplit()) != null; ) {
      byte[] value = message.value() == null ? new byte[0] : message.value();
      batch.addMessage(
          message.timestamp() * MICROS,
          message.partition(),
          message.offset(),
          value,
          0,
          value.length);
      last = message;
      if (batch.length() >= FULL_BYTES) {
        packed.add(finish(last));
      }
    }
    if (batch.count() > 0) {
      packed.add(finish(last));
    }
    return packed;
  }

  private ConsumerRecord<byte[], byte[]> finish(ConsumerRecord<byte[], byte[]> last) {
    byte[] value = batch.toBytes();
    batch.clear();
    return new ConsumerRecord<>(last.topic(), last.partition(), last.offset(), null, value);
  }
}
