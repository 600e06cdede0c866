package io.millrace.server.ingest;

import io.millrace.engine.log.LogException;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogReader;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;

interface LogEnd {
  /** Receives the frame numbers that log values contain. */
  @FunctionalInterface
  interface Frames {
    /** The partition has the records of the client's frames up to this one. */
    void frame(String client, int partition, long frame);
  }

  /**
   * Reads the values of a partition between two offsets, the last exclusive.
   *
   * @throws IOException if the log does not return all values
   */
  void read(int partition, long from, long until, Frames to) throws IOException;

  /** Next offset of each partition. */
  long[] end() throws IOException;

  /** By partition, the first offset that was appended at this time or later. */
  long[] at(long micros) throws IOException;

  /** Reader of the end of a topic. */
  static LogEnd of(String bootstrapServers, String topic) {
    return new LogEnd() {
      private static final Duration TIMEOUT = Duration.ofSeconds(15);

      @Override
      public void read(int partition, long from, long until, Frames to) throws IOException {
        long[] next = {from};
        try {
          LogReader.read(
              bootstrapServers,
              topic,
              new Frontier(Map.of(partition, from)),
              new Frontier(Map.of(partition, until)),
              TIMEOUT,
              (in, offset, timeMillis, key, value) -> {
                RecordFormat.senders(value, (client, frame) -> to.frame(client, in, frame));
                next[0] = offset + 1;
                return true;
              });
        } catch (LogException e) {
          throw new IOException(e.getMessage(), e);
        }
        if (next[0] < until) {
          // retention may have deleted the values in between
          long begin = offsets(LogOffsets::begin)[partition];
          if (begin < until) {
            throw new IOException("partition " + partition + ": cannot read up to offset " + until);
          }
        }
      }

      @Override
      public long[] end() throws IOException {
        return offsets(LogOffsets::end);
      }

      @Override
      public long[] at(long micros) throws IOException {
        return offsets(offsets -> offsets.at(micros));
      }

      private long[] offsets(Function<LogOffsets, Frontier> query) throws IOException {
        try (LogOffsets offsets = new LogOffsets(bootstrapServers, topic)) {
          Frontier frontier = query.apply(offsets);
          long[] next = new long[frontier.next().size()];
          for (int i = 0; i < next.length; i++) {
            next[i] = frontier.next(i);
          }
          return next;
        } catch (LogException e) {
          throw new IOException(e.getMessage(), e);
        }
      }
    };
  }
}
