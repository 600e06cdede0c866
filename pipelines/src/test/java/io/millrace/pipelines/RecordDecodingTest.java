package io.millrace.pipelines;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.testing.WatchedContext;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordBatch;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RecordDecodingTest {
  private static final long MINUTE = 60_000_000;
  private static final long HOUR = 60 * MINUTE;
  private static final long ARRIVAL = 1_700_000_000_000_000L;
  private static final int MAX_AHEAD = 30;
  private static final RecordSchema SCHEMA =
      new RecordSchema(
          "visits", List.of(Field.time("time"), Field.text("who", 1, 20)), "time", "who");

  private final WatchedContext context = new WatchedContext();
  private final List<String> out = new ArrayList<>();
  private final List<RawBatch> rejected = new ArrayList<>();
  private RecordDecoding decoding = decoding();

  private RecordDecoding decoding() {
    RecordDecoding opened = new RecordDecoding(SCHEMA, RecordEncoding.JSON, false, MAX_AHEAD);
    opened.open(context);
    return opened;
  }

  private void process(RawBatch value) {
    decoding.process(
        value,
        new Emitter<>() {
          @Override
          public void emit(TableBlock block) {
            for (int row = 0; row < block.rows(); row++) {
              out.add(block.text(row, 1) + " " + block.longs(4)[row]); // log_index
            }
          }

          @Override
          public void reject(RawBatch rejection) {
            rejected.add(rejection);
          }
        });
  }

  @Test
  void recordsFromTheFutureAreDroppedAndOthersKept() {
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
    assertThat(context.counters().get(RecordDecoding.FUTURE)).isEqualTo(2);
    assertThat(context.counters()).doesNotContainKey(RecordDecoding.INVALID);
  }

  @Test
  void earlyExternalRecordsAreDroppedByTheirTimes() {
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
    assertThat(context.counters().get(RecordDecoding.FUTURE)).isEqualTo(19);
  }

  @Test
  void aBugInDecodingCostsOnlyTheValue() {
    decoding =
        new RecordDecoding(SCHEMA, RecordEncoding.JSON, false, MAX_AHEAD) {
          @Override
          Optional<TableBlock> decode(RawBatch value, RecordBatch batch) {
            throw new ArrayIndexOutOfBoundsException("as a fault of ours would");
          }

          @Override
          int decode(byte[] bytes, int payload, int length, TableBlock records) {
            if (length > 40) {
              records.texts(1).add("torn");
              throw new ArrayIndexOutOfBoundsException("as a fault of ours would");
            }
            return super.decode(bytes, payload, length, records);
          }
        };
    decoding.open(context);
    send(1, 7, 1, ARRIVAL, ARRIVAL);
    assertThat(rejected).hasSize(1);
    for (String who : List.of("w", "far too long a name")) {
      RawBatch.Writer values = RawBatch.Writer.ofValues();
      byte[] json =
          "{\"time\": %d, \"who\": \"%s\"}"
              .formatted(ARRIVAL / 1_000, who)
              .getBytes(StandardCharsets.UTF_8);
      values.addMessage(ARRIVAL, 0, 0, json, 0, json.length);
      process(RawBatch.wrap(values.toBytes(), 1, 8));
    }
    assertThat(out).containsExactly("w 0");
    assertThat(rejected).hasSize(2);
    assertThat(context.counters().get(RecordDecoding.INVALID)).isEqualTo(2);
  }

  /** Sends records of the same time, in a batch of a partition. */
  private void send(int partition, long offset, int records, long time, long arrival) {
    TableBlock block = new TableBlock(SCHEMA.columns(), records);
    for (int row = 0; row < records; row++) {
      block.longs(0)[row] = time;
      block.texts(1).add("w");
    }
    block.rows(records);
    byte[] bytes = new RecordBatch.Writer().write(block, 0, arrival);
    process(RawBatch.wrap(bytes, partition, offset));
  }

  /** Numbers of kept and dropped records since the last call. */
  private List<Long> since() {
    List<Long> counts =
        List.of((long) out.size(), context.counters().getOrDefault(RecordDecoding.CROWDED, 0L));
    out.clear();
    context.counters().clear();
    return counts;
  }

  @Test
  void theNumberOfEarlyRecordsIsBoundedPerPartition() {
    send(1, 0, MAX_AHEAD - 10, ARRIVAL + HOUR, ARRIVAL);
    assertThat(since()).containsExactly(MAX_AHEAD - 10L, 0L);
    send(1, 1, MAX_AHEAD, ARRIVAL + 2 * MINUTE, ARRIVAL);
    assertThat(since()).containsExactly(10L, MAX_AHEAD - 10L);
    send(1, 2, 1_000, ARRIVAL, ARRIVAL);
    assertThat(since()).as("of now").containsExactly(1_000L, 0L);
    send(2, 0, MAX_AHEAD, ARRIVAL + HOUR, ARRIVAL);
    assertThat(since()).as("of another partition").containsExactly((long) MAX_AHEAD, 0L);

    send(1, 3, 20, ARRIVAL + HOUR, ARRIVAL + 2 * MINUTE);
    assertThat(since()).as("when ten have come").containsExactly(10L, 10L);
    send(1, 4, MAX_AHEAD, ARRIVAL + 3 * HOUR, ARRIVAL + 3 * HOUR - MINUTE);
    assertThat(since()).as("when all have").containsExactly((long) MAX_AHEAD, 0L);
  }

  /** Otherwise each restart would admit as many waiting records again. */
  @Test
  void theNumberOfWaitingRecordsIsState() throws Exception {
    send(1, 0, 25, ARRIVAL + HOUR, ARRIVAL);
    send(2, 0, 1, ARRIVAL, ARRIVAL);
    RecordDecoding before = decoding;
    decoding = decoding();
    before.snapshot(decoding::restore);
    assertThat(since()).containsExactly(26L, 0L);
    send(1, 1, 25, ARRIVAL + 30 * MINUTE, ARRIVAL);
    assertThat(since()).containsExactly(5L, 20L);
    send(2, 1, MAX_AHEAD, ARRIVAL + HOUR, ARRIVAL);
    assertThat(since()).containsExactly((long) MAX_AHEAD, 0L);
  }

  /** A reader that lags by hours has read no records from the future. */
  @Test
  void aReaderWithALagDropsNothing() {
    for (int minute = 0; minute < 180; minute++) {
      send(1, minute, MAX_AHEAD, ARRIVAL + minute * MINUTE, ARRIVAL + minute * MINUTE);
    }
    assertThat(since()).containsExactly(180L * MAX_AHEAD, 0L);
  }
}
