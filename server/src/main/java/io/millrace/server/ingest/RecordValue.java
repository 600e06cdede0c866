package io.millrace.server.ingest;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.record.RecordBatch;

final class RecordValue extends LogValue {
  private final int time;
  private final long arrivalMicros;
  private final TableBlock records;
  private final RecordBatch.Writer writer = new RecordBatch.Writer();
  private long recordBytes;

  RecordValue(int partition, TableSchema columns, int time, int headBytes, long arrivalMicros) {
    super(partition, 0);
    this.time = time;
    this.arrivalMicros = arrivalMicros;
    records = new TableBlock(columns, 0);
    recordBytes = headBytes;
  }

  @Override
  void add(Decoding decoded, int row) {
    records.add(((RecordDecoding) decoded).block(), row);
    recordBytes += decoded.mostBytes(row);
  }

  @Override
  int records() {
    return records.rows();
  }

  /** Upper bound, as numbers have variable length. */
  @Override
  int recordBytes() {
    return (int) Math.min(Integer.MAX_VALUE / 2, recordBytes);
  }

  /** Null: many keys share a value. */
  @Override
  byte[] key() {
    return null;
  }

  @Override
  void addSender(byte[] client, long frame) {
    writer.addSender(client, frame);
  }

  @Override
  byte[] write() {
    return writer.write(records, time, arrivalMicros);
  }
}
