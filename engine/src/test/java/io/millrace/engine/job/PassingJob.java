package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.engine.SharedLog;
import io.millrace.engine.exchange.BlockScatter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.TestStore.Place;
import io.millrace.engine.log.LogAppender;
import io.millrace.engine.log.LogWriter;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.sink.LogCoverage;
import io.millrace.engine.sink.LogPlace;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.engine.source.LogSource;
import io.millrace.wire.block.RawBatch;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A job from the log through an analyzer with state into a {@link TestStore}, and its input. At the
 * end, each value is in the store once. Every second value must stay in order, and is followed by
 * its number within its partition, which is correct only if the state is.
 */
final class PassingJob implements AutoCloseable {
  private final String topic;
  private final LogWriter writer;

  /** Acknowledged values. */
  private final Map<Place, byte[]> written = new ConcurrentHashMap<>();

  private int values;

  PassingJob(String topic) {
    this.topic = topic;
    this.writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG);
  }

  /** Numbers the values that are in order, by partition. */
  private static final class ValueNumbers
      implements Analyzer<RawBatch, RawBatch>, PartitionedState {
    private final Map<Integer, Long> counts = new HashMap<>();

    @Override
    public void process(RawBatch block, Emitter<RawBatch> out) {
      byte[] value = block.bytes();
      if (block.requiresOrder()) {
        value = numbered(value, counts.merge(block.partition(), 1L, Long::sum));
      }
      out.emit(RawBatch.wrap(value, block.partition(), block.offset()));
    }

    @Override
    public void snapshot(StateWriter out) throws Exception {
      for (Map.Entry<Integer, Long> count : counts.entrySet()) {
        byte[] state = ByteBuffer.allocate(Long.BYTES).putLong(count.getValue()).array();
        out.put(count.getKey(), count.getValue(), state);
      }
    }

    @Override
    public void restore(int key, long version, byte[] state) {
      counts.put(key, ByteBuffer.wrap(state).getLong());
    }
  }

  private static byte[] numbered(byte[] value, long number) {
    return ByteBuffer.allocate(value.length + Long.BYTES).put(value).putLong(number).array();
  }

  /** The steps: source, exchange, analyzer, sink. */
  EmbeddedFlink.JobBuilder steps(int parallelism) {
    String log = SharedLog.bootstrapServers();
    String read = topic;
    return (StreamExecutionEnvironment job) -> {
      DataStream<RawBatch> batches = LogSource.of(log, read).addTo(job, "log", parallelism);
      DataStream<RawBatch> passed =
          Analyzers.analyze(
              BlockScatter.scatter(batches),
              "pass",
              BlockTypeInfo.RAW,
              parallelism,
              subtask -> new ValueNumbers());
      RewindableSink.of(
              subtask -> TestStore.named(read).sink(), LogCoverage.of(LogPlace.RAW, log, read))
          .flushingEvery(Duration.ofMillis(10), 25)
          .addTo(passed, "store", parallelism);
    };
  }

  TestStore store() {
    return TestStore.named(topic);
  }

  /** Writes values and waits until the log has them. */
  void write(int count) {
    for (int i = 0; i < count; i++) {
      byte[] text = ("value " + values++).getBytes(StandardCharsets.ISO_8859_1);
      RawBatch.Writer batch =
          values % 2 == 0 ? RawBatch.Writer.inOrder() : new RawBatch.Writer(text.length);
      batch.add(values, 0, 1, 2, text, 0, text.length);
      byte[] value = batch.toBytes();
      boolean taken =
          writer.offer(
              null,
              value,
              1,
              new LogAppender.Completion() {
                @Override
                public void acknowledged(int partition, long offset) {
                  written.put(new Place(partition, offset), value);
                }

                @Override
                public void failed(Exception cause) {}
              });
      assertThat(taken).isTrue();
    }
    writer.flush();
    assertThat(written).hasSize(values);
  }

  /** Whether each value is in the store at least once. */
  boolean allStored() {
    return store().rows().keySet().equals(written.keySet());
  }

  /** Fails unless each value is in the store once, with its number. */
  void assertExact() {
    Map<Place, List<String>> expected = new HashMap<>();
    Map<Integer, TreeMap<Long, byte[]>> partitions = new HashMap<>();
    written.forEach(
        (place, value) ->
            partitions
                .computeIfAbsent(place.partition(), partition -> new TreeMap<>())
                .put(place.offset(), value));
    partitions.forEach(
        (partition, log) -> {
          long number = 0;
          for (Map.Entry<Long, byte[]> entry : log.entrySet()) {
            byte[] value = entry.getValue();
            if (RawBatch.wrap(value, partition, entry.getKey()).requiresOrder()) {
              value = numbered(value, ++number);
            }
            expected.put(
                new Place(partition, entry.getKey()),
                List.of(new String(value, StandardCharsets.ISO_8859_1)));
          }
        });
    assertThat(store().rows()).isEqualTo(expected);
  }

  @Override
  public void close() {
    writer.close();
    TestStore.forget(topic);
  }
}
