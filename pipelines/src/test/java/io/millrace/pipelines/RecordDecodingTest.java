package io.millrace.pipelines;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordBatch;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RecordDecodingTest {
  private static final long HOUR = 3_600_000_000L;
  private static final long ARRIVAL = 1_700_000_000_000_000L;
  private static final RecordSchema SCHEMA =
      new RecordSchema(
          "visits", List.of(Field.time("time"), Field.text("who", 1, 20)), "time", "who");

  private final Map<String, LongAdder> counters = new HashMap<>();
  private final RecordDecoding decoding = new RecordDecoding(SCHEMA, RecordEncoding.JSON);
  private final List<String> out = new ArrayList<>();

  @BeforeEach
  void open() {
    decoding.open(
        new AnalyzerContext() {
          @Override
          public int index() {
            return 0;
          }

          @Override
          public int count() {
            return 1;
          }

          @Override
          public KeyGroups keyGroups() {
            return KeyGroups.all();
          }

          @Override
          public Counter counter(String name) {
            return counters.computeIfAbsent(name, each -> new LongAdder())::add;
          }

          @Override
          public void gauge(String name, LongSupplier value) {}
        });
  }

  private void process(RawBatch value) {
    decoding.process(
        value,
        block -> {
          for (int row = 0; row < block.rows(); row++) {
            out.add(block.text(row, 1) + " " + block.longs(4)[row]); // log_index
          }
        });
  }

  @Test
  void recordsOfATimeToComeAreLeftOutAndTheirNeighboursAreNot() {
    TableBlock block = new TableBlock(SCHEMA.columns(), 4);
    long[] times = {ARRIVAL, ARRIVAL + 80 * 365 * 24 * HOUR, ARRIVAL + HOUR, ARRIVAL + HOUR + 1};
    for (int row = 0; row < times.length; row++) {
      block.longs(0)[row] = times[row];
      block.texts(1).add("w" + row);
    }
    block.rows(times.length);
    byte[] bytes = new RecordBatch.Writer().write(block, 0, ARRIVAL);
    process(RawBatch.wrap(bytes, 1, 7));
    assertThat(out).containsExactly("w0 0", "w2 2");
    assertThat(counters.get(RecordDecoding.FUTURE).sum()).isEqualTo(2);
    assertThat(counters.get(RecordDecoding.WRONG).sum()).isZero();
  }

  @Test
  void soAreThoseOfValuesOfOthersByTheTimeOfEach() {
    RawBatch.Writer values = RawBatch.Writer.ofValues();
    for (int i = 0; i < 40; i++) {
      long millis = (ARRIVAL + (i % 2) * 2L * HOUR) / 1_000;
      byte[] json =
          "{\"time\": %d, \"who\": \"w%d\"}".formatted(millis, i).getBytes(StandardCharsets.UTF_8);
      long written = i < 38 ? ARRIVAL : ARRIVAL + HOUR;
      values.addMessage(written, 0, i, json, 0, json.length);
    }
    process(RawBatch.wrap(values.toBytes(), 1, 7));
    assertThat(out).hasSize(21).contains("w0 0", "w38 0", "w39 0").doesNotContain("w1 0", "w37 0");
    assertThat(counters.get(RecordDecoding.FUTURE).sum()).isEqualTo(19);
  }
}
