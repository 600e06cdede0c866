package io.millrace.server.runtime;

import io.millrace.engine.log.LogException;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogReader;
import io.millrace.server.collect.Tail;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * End of the log, read by a restarted collector: about a second of batches, ordered by arrival.
 * Memory is bounded, because other writers may have added much more.
 */
record LogTail(String bootstrapServers, String topic) implements Tail {
  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final long MAX_BYTES = 64 << 20;

  @Override
  public void read(Frontier from, Consumer<RawBatch> batches) throws IOException {
    InOrder tail = new InOrder(MAX_BYTES, batches);
    try (LogOffsets offsets = new LogOffsets(bootstrapServers, topic)) {
      LogReader.read(
          bootstrapServers,
          topic,
          from,
          offsets.end(),
          TIMEOUT,
          (partition, offset, timeMillis, key, value) -> {
            tail.add(RawBatch.wrap(value, partition, offset));
            return true;
          });
    } catch (LogException e) {
      throw new IOException(e.getMessage(), e);
    }
    tail.end();
  }

  @Override
  public Frontier within(Frontier saved) throws IOException {
    Map<Integer, Long> there = new HashMap<>(saved.next());
    try (LogOffsets offsets = new LogOffsets(bootstrapServers, topic)) {
      Frontier end = offsets.end();
      there.replaceAll((partition, next) -> Math.min(next, end.next(partition)));
    } catch (LogException e) {
      throw new IOException(e.getMessage(), e);
    }
    return new Frontier(there);
  }

  static final class InOrder {
    private final PriorityQueue<RawBatch> held =
        new PriorityQueue<>(
            Comparator.comparingLong(LogTail::arrival)
                .thenComparingInt(RawBatch::partition)
                .thenComparingLong(RawBatch::offset));
    private final long mostBytes;
    private final Consumer<RawBatch> out;
    private long bytes;

    InOrder(long mostBytes, Consumer<RawBatch> out) {
      this.mostBytes = mostBytes;
      this.out = out;
    }

    void add(RawBatch batch) {
      held.add(batch);
      bytes += batch.length();
      while (bytes > mostBytes) {
        next();
      }
    }

    void end() {
      while (!held.isEmpty()) {
        next();
      }
    }

    private void next() {
      RawBatch batch = held.remove();
      bytes -= batch.length();
      out.accept(batch);
    }
  }

  /** Arrival of the first datagram in a batch; invalid batches sort first. */
  private static long arrival(RawBatch batch) {
    return batch.isSound() && batch.rows() > 0 ? batch.time(batch.first()) : Long.MIN_VALUE;
  }
}
