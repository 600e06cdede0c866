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
import java.util.Optional;

/**
 * Values of a topic to records, each with its place. A value of the log was found to be right
 * before it came there, and is set aside whole where it cannot be read; of values of others, those
 * with a wrong record are set aside, without their right ones being lost.
 */
final class RecordDecoding implements Analyzer<RawBatch, TableBlock> {
  /** Counter: records that were wrong. */
  static final String WRONG = "wrongRecords";

  private static final int MOST_UNPACKED_BYTES = 16 << 20;

  private final RecordEncoding format;
  private final RecordColumns columns;
  private final RecordDecoder decoder;
  private final RecordErrors errors = new RecordErrors(0);
  private int expected = 16;
  private AnalyzerContext.Counter wrong;

  /**
   * @param format of values of others
   */
  RecordDecoding(RecordSchema schema, RecordEncoding format) {
    this.format = format;
    columns = new RecordColumns(schema);
    decoder = new RecordDecoder(schema);
  }

  @Override
  public void open(AnalyzerContext context) {
    wrong = context.counter(WRONG);
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
    } else if (records.get().rows() > 0) {
      out.emit(records.get());
    }
  }

  private void processValues(RawBatch values, Emitter<TableBlock> out) {
    TableBlock records = new TableBlock(columns.schema(), expected);
    RawBatch.Writer rejected = null;
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
    if (records.rows() > 0) {
      expected = records.rows();
      out.emit(records);
    }
  }
}
