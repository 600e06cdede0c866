package io.millrace.server.collect;

import io.millrace.engine.log.LogAppender;
import io.millrace.wire.block.RawBatch;
import java.nio.ByteBuffer;

final class OpenBatch {
  private final RawBatch.Writer writer;
  private final int partition;
  private BatchCounters counters = new BatchCounters();
  private long firstMicros;
  private long firstNanos;

  OpenBatch(int capacity, int partition) {
    this.partition = partition;
    writer =
        partition == LogAppender.ANY_PARTITION
            ? new RawBatch.Writer(capacity)
            : RawBatch.Writer.inOrder();
  }

  int partition() {
    return partition;
  }

  boolean isEmpty() {
    return writer.count() == 0;
  }

  int datagrams() {
    return writer.count();
  }

  int length() {
    return writer.length();
  }

  BatchCounters counters() {
    return counters;
  }

  long firstMicros() {
    return firstMicros;
  }

  /** Arrival of the first datagram, by {@link System#nanoTime}. */
  long firstNanos() {
    return firstNanos;
  }

  void add(long micros, long senderHigh, long senderLow, int senderPort, ByteBuffer datagram) {
    if (writer.count() == 0) {
      firstMicros = micros;
      firstNanos = System.nanoTime();
    }
    writer.add(micros, senderHigh, senderLow, senderPort, datagram);
  }

  byte[] toBytes() {
    return writer.toBytes();
  }

  void clear() {
    writer.clear();
    counters = new BatchCounters();
  }
}
