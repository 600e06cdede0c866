package io.millrace.engine.source;

import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
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
 * Combines the values that a poll has returned for a partition into one {@link RawBatch}, with the
 * offset of the <em>last</em> one, after which a restored reader continues. The values are {@link
 * ByteBuffer} views of the fetched bytes, although the connector declares byte arrays.
 */
final class MessageSplitReader extends KafkaPartitionSplitReader {
  /** Size from which no message is added to a batch. */
  private static final int FULL_BYTES = 1 << 20;

  private static final long MICROS = 1_000;
  private static final ByteBuffer NONE = ByteBuffer.allocate(0);

  private final List<ConsumerRecord<?, ?>> messages = new ArrayList<>();

  private int messageBytes;

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
    for (ConsumerRecord<?, ?> message; (message = poll.nextRecordFromSplit()) != null; ) {
      messages.add(message);
      messageBytes += Math.max(0, message.serializedValueSize()); // negative for a null value
      if (messageBytes >= FULL_BYTES) {
        packed.add(packMessages());
      }
    }
    if (!messages.isEmpty()) {
      packed.add(packMessages());
    }
    return packed;
  }

  private ConsumerRecord<byte[], byte[]> packMessages() {
    RawBatch.Writer batch = RawBatch.Writer.ofValues(messages.size(), messageBytes);
    for (ConsumerRecord<?, ?> message : messages) {
      batch.addMessage(
          message.timestamp() * MICROS,
          message.partition(),
          message.offset(),
          message.value() == null ? NONE.duplicate() : (ByteBuffer) message.value());
    }
    ConsumerRecord<?, ?> last = messages.get(messages.size() - 1);
    messages.clear();
    messageBytes = 0;
    return new ConsumerRecord<>(
        last.topic(), last.partition(), last.offset(), null, batch.takeBytes());
  }
}
