package io.millrace.server.ingest;

import io.millrace.engine.log.LogException;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogReader;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;

/** What the log has of a partition: asked at a start, and after the log did not answer. */
interface LogEnd {
  /** Takes a client's frame that stands in a value of the log. */
  @FunctionalInterface
  interface Frames {
    /** What the client's frames up to this one hold for the partition is in the log. */
    void frame(String client, int partition, long frame);
  }

  /**
   * Reads all values of a partition from an offset up to another one, exclusive.
   *
   * @throws IOException if the log does not give them all
   */
  void read(int partition, long from, long until, Frames to) throws IOException;

  /** The offset that the next value of each partition will get. */
  long[] end() throws IOException;

  /** The first offset of each partition that was appended at that time or later. */
  long[] at(long micros) throws IOException;

  /** The end of a topic. */
  static LogEnd of(String bootstrapServers, String topic, StreamFormat format) {
    return new LogEnd() {
      private static final Duration PATIENCE = Duration.ofSeconds(15);

      @Override
      public void read(int partition, long from, long until, Frames to) throws IOException {
        long[] next = {from};
        try {
          LogReader.read(
              bootstrapServers,
              topic,
              new Frontier(Map.of(partition, from)),
              new Frontier(Map.of(partition, until)),
              PATIENCE,
              (in, offset, timeMillis, key, value) -> {
                format.senders(value, (client, frame) -> to.frame(client, in, frame));
                next[0] = offset + 1;
                return true;
              });
        } catch (LogException e) {
          throw new IOException(e.getMessage(), e);
        }
        if (next[0] < until) {
          // It is no error if the log has deleted all values up to there.
          long begin = offsets(LogOffsets::begin)[partition];
          if (begin < until) {
            throw new IOException("partition " + partition + " cannot be read up to " + until);
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

      private long[] offsets(Function<LogOffsets, Frontier> question) throws IOException {
        try (LogOffsets offsets = new LogOffsets(bootstrapServers, topic)) {
          Frontier frontier = question.apply(offsets);
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
