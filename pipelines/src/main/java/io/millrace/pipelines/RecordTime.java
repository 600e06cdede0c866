package io.millrace.pipelines;

import io.millrace.engine.source.LogSource;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordBatch;
import io.millrace.wire.record.RecordDecoder;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import io.millrace.wire.record.RecordSchema;

/**
 * Event time of values of a topic: the time of the newest record, but not later than the value's
 * arrival, so that a record from the future does not make all others late. Values of the log
 * contain it. Of external values, only a sample is read, including the last one, so event time may
 * lag the newest record until the next batch, but is never ahead.
 */
final class RecordTime implements LogSource.ValueTimes {
  private static final long serialVersionUID = 1L;

  /** Number of external values sampled per batch. */
  private static final int MAX_READ = 16;

  private final RecordSchema schema;
  private final RecordEncoding format;
  private transient RecordDecoder decoder;
  private transient TableBlock record;
  private transient RecordErrors errors;

  RecordTime(RecordSchema schema, RecordEncoding format) {
    this.schema = schema;
    this.format = format;
  }

  static long ofArrival(RawBatch value) {
    if (value.isValues()) {
      return value.rows() > 0 ? value.time(value.first()) : UNKNOWN;
    }
    RecordBatch batch = RecordBatch.wrap(value.bytes(), value.length());
    return batch.isSound() ? batch.arrival() : UNKNOWN;
  }

  @Override
  public long micros(RawBatch value) {
    if (value.isValues()) {
      return ofValues(value);
    }
    RecordBatch batch = RecordBatch.wrap(value.bytes(), value.length());
    return batch.isSound() && batch.count() > 0
        ? Math.min(batch.newest(), batch.arrival())
        : UNKNOWN;
  }

  private long ofValues(RawBatch values) {
    if (decoder == null) {
      decoder = new RecordDecoder(schema);
      record = new TableBlock(schema.columns(), 1);
      errors = new RecordErrors(0);
    }
    int rows = values.rows();
    int step = (rows + MAX_READ - 1) / MAX_READ;
    long newest = UNKNOWN;
    int cursor = values.first();
    for (int left = rows; left > 0; left--, cursor = values.next(cursor)) {
      if ((left - 1) % step == 0) { // includes the last one
        newest = Math.max(newest, Math.min(values.time(cursor), timeOf(values, cursor)));
      }
    }
    return newest;
  }

  private long timeOf(RawBatch values, int cursor) {
    record.clear();
    errors.clear();
    var unused =
        decoder.decode(
            format,
            values.bytes(),
            values.payload(cursor),
            values.payloadLength(cursor),
            RecordAttributes.NONE,
            record,
            errors,
            values.length());
    long newest = UNKNOWN;
    long[] times = record.longs(schema.indexOf(schema.time()));
    for (int row = 0; row < record.rows(); row++) {
      newest = Math.max(newest, times[row]);
    }
    return newest;
  }
}
