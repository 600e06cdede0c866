package io.millrace.server.ingest;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.block.Texts;
import io.millrace.wire.record.KafkaPartitions;
import io.millrace.wire.record.RecordDecoder;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import io.millrace.wire.record.RecordSchema;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

final class RecordDecoding extends Decoding {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Column names and a few bytes per plane. */
  private static final int COLUMN_BYTES = 96;

  private final TableSchema columns;
  private final int time;
  private final int key;
  private final int rowBytes; // without the bytes of texts
  private final RecordDecoder decoder;
  private final RecordErrors errors = new RecordErrors();
  private final byte[] number = new byte[Long.BYTES];
  private TableBlock block;
  private long mostBytes;

  RecordDecoding(RecordSchema schema) {
    columns = schema.columns();
    time = schema.indexOf(schema.time());
    key = schema.indexOf(schema.key());
    rowBytes = columns.size() * Long.BYTES;
    decoder = new RecordDecoder(schema);
    block = new TableBlock(columns, 64);
  }

  void decode(RecordEncoding encoding, byte[] bytes, int offset, int length, int maxUnpackedBytes) {
    block.clear();
    errors.clear();
    var unused = decoder.decode(encoding, bytes, offset, length, block, errors, maxUnpackedBytes);
    mostBytes = headBytes();
    for (int row = 0; row < block.rows(); row++) {
      mostBytes += mostBytes(row);
    }
  }

  @Override
  void release() {
    super.release();
    if (block.rows() > MOST_KEPT_ROWS) {
      block = new TableBlock(columns, 64);
    }
  }

  TableBlock block() {
    return block;
  }

  @Override
  RecordErrors errors() {
    return errors;
  }

  @Override
  int rows() {
    return block.rows();
  }

  @Override
  int kind() {
    return 0;
  }

  /** Hashes a text's bytes or a number's eight bytes, as Kafka's serializers write them. */
  @Override
  int partitionOf(int row, int count) {
    Texts texts = block.texts(key);
    if (texts != null) {
      return KafkaPartitions.of(texts.bytes(), texts.start(row), texts.length(row), count);
    }
    LONG.set(number, 0, block.longs(key)[row]);
    return KafkaPartitions.of(number, 0, number.length, count);
  }

  @Override
  long mostBytes() {
    return mostBytes;
  }

  /** Upper bound of a value without rows. */
  int headBytes() {
    return COLUMN_BYTES * columns.size();
  }

  @Override
  long mostBytes(int row) {
    long most = rowBytes;
    for (int column = 0; column < columns.size(); column++) {
      if (block.texts(column) != null) {
        most += block.texts(column).length(row);
      }
    }
    return most;
  }

  @Override
  RecordValue newValue(int partition, long arrivalMicros) {
    return new RecordValue(partition, columns, time, headBytes(), arrivalMicros);
  }

  @Override
  int foreignRow(byte[] gateway) {
    return block.rows() > 0 ? 0 : -1;
  }
}
