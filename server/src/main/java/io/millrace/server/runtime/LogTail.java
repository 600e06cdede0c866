package io.millrace.server.runtime;

import io.millrace.engine.log.LogException;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogReader;
import io.millrace.server.collect.Tail;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** The end of the log for a collector that starts again: a second or so of batches. */
record LogTail(String bootstrapServers, String topic) implements Tail {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  @Override
  public void read(Frontier from, Consumer<RawBatch> batches) throws IOException {
    List<RawBatch> tail = new ArrayList<>();
    try (LogOffsets offsets = new LogOffsets(bootstrapServers, topic)) {
      LogReader.read(
          bootstrapServers,
          topic,
          from,
          offsets.end(),
          PATIENCE,
          (partition, offset, timeMillis, key, value) ->
              tail.add(RawBatch.wrap(value, partition, offset)));
    } catch (LogException e) {
      throw new IOException(e.getMessage(), e);
    }
    tail.sort(Comparator.comparingLong(LogTail::arrival));
    tail.forEach(batches);
  }

  /** Arrival of a batch's first datagram; what is no batch comes first. */
  private static long arrival(RawBatch batch) {
    return batch.isSound() && batch.rows() > 0 ? batch.time(batch.first()) : Long.MIN_VALUE;
  }
}
