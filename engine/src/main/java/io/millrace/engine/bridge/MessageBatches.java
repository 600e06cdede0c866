package io.millrace.engine.bridge;

import io.millrace.engine.log.LogConfig;
import io.millrace.wire.block.RawBatch;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Packs the messages of one source into batches. Not thread-safe. */
final class MessageBatches {
  private static final int BATCH_BYTES = 512 << 10;

  private static final int MAX_MESSAGE_BYTES = LogConfig.MAX_VALUE_BYTES - (64 << 10);

  static final class Batch {
    private final byte[] value;
    private final int messages;
    private final long next;

    private Batch(byte[] value, int messages, long next) {
      this.value = value;
      this.messages = messages;
      this.next = next;
    }

    byte[] value() {
      return value;
    }

    int messages() {
      return messages;
    }

    long next() {
      return next;
    }
  }

  private final long source;
  private final RawBatch.Writer writer;
  private final Deque<Batch> finished = new ArrayDeque<>();
  private long next;

  MessageBatches(long source, boolean isDelimited) {
    this.source = source;
    writer = RawBatch.Writer.ofMessages(isDelimited);
  }

  /** Adds the source's next message; false if it is too long for any batch. */
  boolean add(ConsumerRecord<byte[], byte[]> message, long nowMicros) {
    byte[] value = message.value();
    if (value == null) {
      return true; // a tombstone has no flow
    }
    if (value.length > MAX_MESSAGE_BYTES) {
      return false;
    }
    if (writer.count() > 0
        && writer.length() + RawBatch.DATAGRAM_HEADER_LENGTH + value.length > BATCH_BYTES) {
      finish();
    }
    long time = message.timestamp() > 0 ? message.timestamp() * 1_000 : nowMicros;
    writer.addMessage(time, source, message.offset(), value, 0, value.length);
    next = message.offset() + 1;
    return true;
  }

  Deque<Batch> finish() {
    if (writer.count() > 0) {
      finished.add(new Batch(writer.toBytes(), writer.count(), next));
      writer.clear();
    }
    return finished;
  }
}
