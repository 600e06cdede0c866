package io.millrace.engine.warnings;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.engine.SharedLog;
import io.millrace.engine.log.LogWriter;
import io.millrace.engine.source.LogSource;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Random usage and videos in two topics, out of order, and the expected warnings. */
final class Trace implements AutoCloseable {
  private static final int PARTITIONS = 3; // at most one per reader
  private static final int SUBSCRIBERS = 40;
  private static final long SECOND = 1_000_000;
  private static final long START = 1_800_000_000 * SECOND;
  private static final Duration WATERMARK_DELAY = Duration.ofSeconds(90);

  /** No partition is ever idle, so no record is late. */
  private static final Duration IDLE_TIMEOUT = Duration.ofHours(1);

  /** A subscriber's usage record, or a video if there is no percentage. */
  private record Sample(int input, long micros, long subscriber, long percent) {}

  private final String[] topics = {SharedLog.newTopic(PARTITIONS), SharedLog.newTopic(PARTITIONS)};
  private final LogWriter[] writers = new LogWriter[topics.length];
  private final Random random;
  private final List<Sample> samples = new ArrayList<>();
  private long minute;

  Trace(long seed) {
    random = new Random(seed);
    for (int i = 0; i < topics.length; i++) {
      writers[i] = new LogWriter(SharedLog.bootstrapServers(), topics[i], SharedLog.CONFIG);
    }
  }

  String usageTopic() {
    return topics[0];
  }

  String videosTopic() {
    return topics[1];
  }

  static LogSource source(String topic) {
    return LogSource.of(SharedLog.bootstrapServers(), topic)
        .withRecordTimes(Trace::time, WATERMARK_DELAY, IDLE_TIMEOUT);
  }

  private static long time(RawBatch value) {
    return ByteBuffer.wrap(value.bytes()).getLong(value.payload(value.first()));
  }

  /** Records of eight bytes per column, one per value. */
  record Parse(TableSchema schema) implements Analyzer<RawBatch, TableBlock> {
    @Override
    public void process(RawBatch value, Emitter<TableBlock> out) {
      TableBlock block = new TableBlock(schema, 1);
      ByteBuffer record = ByteBuffer.wrap(value.bytes());
      for (int column = 0; column < schema.size(); column++) {
        block.longs(column)[0] = record.getLong(value.payload(value.first()) + column * Long.BYTES);
      }
      block.rows(1);
      out.emit(block);
    }
  }

  /**
   * Writes some more minutes of records, each up to a minute older than others of its partition.
   */
  void write(int minutes) {
    List<Sample> written = new ArrayList<>();
    for (int i = 0; i < minutes * 30; i++) {
      written.add(
          new Sample(
              random.nextInt(2),
              START + (minute * 60 + random.nextInt(minutes * 60)) * SECOND,
              random.nextInt(SUBSCRIBERS),
              80 + random.nextInt(20)));
    }
    minute += minutes;
    written.sort(Comparator.comparingLong(Sample::micros));
    for (int from = 0; from < written.size(); from += 20) {
      Collections.shuffle(written.subList(from, Math.min(written.size(), from + 20)), random);
    }
    written.forEach(this::send);
    flush();
    samples.addAll(written);
  }

  /** Advances event time past everything written. */
  void writeEnd() {
    minute += 60;
    for (int input = 0; input < topics.length; input++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        send(new Sample(input, START + minute * 60 * SECOND, -1, 0), partition);
      }
    }
    flush();
  }

  private void send(Sample sample) {
    send(sample, (int) (sample.subscriber() % PARTITIONS));
  }

  private void send(Sample sample, int partition) {
    RawBatch.Writer batch = new RawBatch.Writer(1);
    byte[] bytes =
        ByteBuffer.allocate(3 * Long.BYTES)
            .putLong(sample.micros())
            .putLong(sample.subscriber())
            .putLong(sample.percent())
            .array();
    batch.add(0, 0, 1, 2, bytes, 0, bytes.length);
    assertThat(writers[sample.input()].offer(partition, batch.toBytes(), 1, null)).isTrue();
  }

  private void flush() {
    for (LogWriter writer : writers) {
      writer.flush();
    }
  }

  /**
   * Result of a straightforward program on the sorted records: time, subscriber and percentage.
   * Usage records of the same time are ordered by percentage.
   */
  Set<String> warnings() {
    List<Sample> sorted = new ArrayList<>(samples);
    sorted.sort(
        Comparator.comparingLong(Sample::micros)
            .thenComparingInt(Sample::input)
            .thenComparingLong(Sample::percent));
    Map<Long, Sample> newest = new HashMap<>();
    Set<String> warnings = new TreeSet<>();
    for (Sample sample : sorted) {
      Sample usage = newest.get(sample.subscriber());
      if (sample.input() == 0) {
        newest.put(sample.subscriber(), sample);
      } else if (usage != null
          && usage.percent() >= 90
          && sample.micros() < usage.micros() + Warnings.WINDOW) {
        warnings.add(sample.micros() + " " + sample.subscriber() + " " + usage.percent());
      }
    }
    return warnings;
  }

  @Override
  public void close() {
    for (LogWriter writer : writers) {
      writer.close();
    }
  }
}
