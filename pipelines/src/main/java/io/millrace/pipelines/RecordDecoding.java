package io.millrace.pipelines;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordBatch;
import io.millrace.wire.record.RecordColumns;
import io.millrace.wire.record.RecordDecoder;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import io.millrace.wire.record.RecordSchema;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Values of a topic to records, each with its place. A value of the log was found to be right
 * before it came there, and is set aside whole where it cannot be read; of values of others, those
 * with a wrong record are set aside, without their right ones being lost.
 *
 * <p>Records of a time long after the value's own are left out and counted: steps behind this one
 * that wait for event time would keep them for as long. The value says when it came, so they are
 * the same ones each time it is read.
 */
final class RecordDecoding implements Analyzer<RawBatch, TableBlock> {
  /** Counter: records that were wrong. */
  static final String WRONG = "wrongRecords";

  /** Counter: records that were left out, since they are of a time to come. */
  static final String FUTURE = "futureRecords";

  /** How far ahead of its value's arrival a record may be: as much as clocks differ, and more. */
  private static final long MOST_AHEAD_MICROS = TimeUnit.HOURS.toMicros(1);

  private static final int MOST_UNPACKED_BYTES = 16 << 20;

  private final RecordEncoding format;
  private final RecordColumns columns;
  private final RecordDecoder decoder;
  private final RecordErrors errors = new RecordErrors(0);
  private int expected = 16;
  private final int time;
  private AnalyzerContext.Counter wrong;
  private AnalyzerContext.Counter future;

  /**
   * @param format of values of others
   */
  RecordDecoding(RecordSchema schema, RecordEncoding format) {
    this.format = format;
    columns = new RecordColumns(schema);
    decoder = new RecordDecoder(schema);
    time = schema.indexOf(schema.time());
  }

  @Override
  public void open(AnalyzerContext context) {
    wrong = context.counter(WRONG);
    future = context.counter(FUTURE);
  }

  @Override
  public void process(RawBatch value, Emitter<TableBlock> out) {
    if (value.isValues()) {
      processValues(value, out);
    } else {
      processBatch(value, out);
    }
  }

  private void processBatch(RawBatch value, Emitter<TableBlock> out) {
    RecordBatch batch = RecordBatch.wrap(value.bytes(), value.length());
    Optional<TableBlock> records =
        batch.isSound()
            ? batch
                .block()
                .flatMap(block -> columns.place(block, value.partition(), value.offset()))
            : Optional.empty();
    if (records.isEmpty()) {
      wrong.add(batch.isSound() ? batch.count() : 1);
      out.reject(value);
    } else {
      long latest = batch.arrival() + MOST_AHEAD_MICROS;
      int[] kept = new int[records.get().rows()];
      emit(records.get(), kept, keep(records.get(), 0, latest, kept, 0), out);
    }
  }

  /**
   * Adds to the kept rows those from {@code first} on that are not later than that.
   *
   * @return number of kept rows
   */
  private int keep(TableBlock records, int first, long latest, int[] kept, int count) {
    long[] times = records.longs(time);
    int now = count;
    for (int row = first; row < records.rows(); row++) {
      kept[now] = row;
      now += times[row] <= latest ? 1 : 0;
    }
    return now;
  }

  private void emit(TableBlock records, int[] kept, int count, Emitter<TableBlock> out) {
    if (count == records.rows() && count > 0) {
      out.emit(records);
    } else if (count < records.rows()) {
      future.add(records.rows() - count);
      if (count > 0) {
        out.emit(records.select(kept, count));
      }
    }
  }

  private void processValues(RawBatch values, Emitter<TableBlock> out) {
    TableBlock records = new TableBlock(columns.schema(), expected);
    RawBatch.Writer rejected = null;
    int[] kept = new int[expected];
    int count = 0;
    int cursor = values.first();
    for (int i = values.rows(); i > 0; i--, cursor = values.next(cursor)) {
      int first = records.rows();
      int payload = values.payload(cursor);
      int length = values.payloadLength(cursor);
      errors.clear();
      int read =
          decoder.decode(
              format, values.bytes(), payload, length, records, errors, MOST_UNPACKED_BYTES);
      columns.place(records, first, values.partition(), values.sourceOffset(cursor));
      if (kept.length < records.rows()) {
        kept = Arrays.copyOf(kept, records.capacity());
      }
      count = keep(records, first, values.time(cursor) + MOST_AHEAD_MICROS, kept, count);
      if (read == 0 || !errors.isEmpty()) {
        wrong.add(Math.max(1, errors.count()));
        rejected = rejected == null ? RawBatch.Writer.ofValues() : rejected;
        rejected.addMessage(
            values.time(cursor),
            values.source(cursor),
            values.sourceOffset(cursor),
            values.bytes(),
            payload,
            length);
      }
    }
    if (rejected != null) {
      out.reject(RawBatch.wrap(rejected.toBytes(), values.partition(), values.offset()));
    }
    expected = Math.max(1, records.rows());
    emit(records, kept, count, out);
  }
}
