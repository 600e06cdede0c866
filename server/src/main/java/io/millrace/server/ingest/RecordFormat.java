package io.millrace.server.ingest;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordBatch;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.Senders;

final class RecordFormat {
  private final RecordSchema schema;
  private final ThreadLocal<DecodedRecords> ofThread;

  RecordFormat(RecordSchema schema) {
    this.schema = schema;
    ofThread = ThreadLocal.withInitial(() -> new DecodedRecords(schema));
  }

  RecordSchema schema() {
    return schema;
  }

  DecodedRecords ofThread() {
    return ofThread.get();
  }

  /** Creates a log value without records. */
  byte[] emptyValue(long arrivalMicros) {
    int time = schema.indexOf(schema.time());
    return new RecordBatch.Writer().write(new TableBlock(schema.columns(), 0), time, arrivalMicros);
  }

  /** Reads the clients and frame numbers in a value; ignores invalid values. */
  static void senders(byte[] value, Senders to) {
    RecordBatch batch = RecordBatch.wrap(value, value.length);
    if (batch.isSound()) {
      batch.senders(to);
    }
  }
}
