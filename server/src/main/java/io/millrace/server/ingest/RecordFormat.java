package io.millrace.server.ingest;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordBatch;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.Senders;

final class RecordFormat implements StreamFormat, BodyReader {
  private final RecordSchema schema;
  private final ThreadLocal<RecordDecoding> ofThread;

  RecordFormat(RecordSchema schema) {
    this.schema = schema;
    ofThread = ThreadLocal.withInitial(() -> new RecordDecoding(schema));
  }

  @Override
  public String threads() {
    return schema.name();
  }

  @Override
  public int kinds() {
    return 1;
  }

  @Override
  public byte[] emptyValue(long arrivalMicros) {
    int time = schema.indexOf(schema.time());
    return new RecordBatch.Writer().write(new TableBlock(schema.columns(), 0), time, arrivalMicros);
  }

  @Override
  public void senders(byte[] value, Senders to) {
    RecordBatch batch = RecordBatch.wrap(value, value.length);
    if (batch.isSound()) {
      batch.senders(to);
    }
  }

  @Override
  public Decoding decode(
      RecordEncoding encoding, byte[] bytes, int offset, int length, int maxUnpackedBytes) {
    RecordDecoding decoded = ofThread.get();
    decoded.decode(encoding, bytes, offset, length, maxUnpackedBytes);
    return decoded;
  }
}
