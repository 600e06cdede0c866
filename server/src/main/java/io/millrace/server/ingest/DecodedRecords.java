package io.millrace.server.ingest;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.block.Texts;
import io.millrace.wire.record.KafkaPartitions;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordDecoder;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import io.millrace.wire.record.RecordSchema;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Records decoded on one thread, and their distribution over the partitions of a topic. Its memory
 * is reused.
 */
final class DecodedRecords {
  /** Maximum rows for which buffers are kept; larger buffers are released. */
  static final int MAX_KEPT_ROWS = 1 << 15;

  private static final int NONE = -1;

  // Rows by partition, as linked lists that spread() builds.
  private int[] partitions = new int[64];
  private int[] next = new int[64];
  private int[] chained = new int[64];
  private int[] firsts = new int[16];
  private int[] first = new int[0]; // first row by partition; −1 for none, and between calls
  private int spreadOver;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Bytes of a column's name and of the headers of its planes. */
  private static final int COLUMN_BYTES = 96;

  private final TableSchema columns;
  private final int time;
  private final int key;
  private final int rowBytes; // bytes of a row without texts
  private final int[] textColumns;
  private final RecordDecoder decoder;
  private final RecordErrors errors = new RecordErrors();
  private final byte[] number = new byte[Long.BYTES];
  private TableBlock block;
  private long mostBytes;

  DecodedRecords(RecordSchema schema) {
    columns = schema.columns();
    time = schema.indexOf(schema.time());
    key = schema.indexOf(schema.key());
    rowBytes = columns.size() * Long.BYTES;
    textColumns =
        IntStream.range(0, columns.size())
            .filter(column -> columns.type(column) == TableSchema.Type.TEXT)
            .toArray();
    decoder = new RecordDecoder(schema);
    block = new TableBlock(columns, 64);
  }

  void decode(
      RecordEncoding encoding,
      byte[] bytes,
      int offset,
      int length,
      RecordAttributes attributes,
      int maxUnpackedBytes) {
    block.clear();
    errors.clear();
    var unused =
        decoder.decode(
            encoding, bytes, offset, length, attributes, block, errors, maxUnpackedBytes);
    mostBytes = headBytes();
    for (int row = 0; row < block.rows(); row++) {
      mostBytes += mostBytes(row);
    }
  }

  void release() {
    if (rows() > MAX_KEPT_ROWS) {
      partitions = new int[64];
      next = new int[64];
      chained = new int[64];
      block = new TableBlock(columns, 64);
    }
  }

  TableBlock block() {
    return block;
  }

  RecordErrors errors() {
    return errors;
  }

  int rows() {
    return block.rows();
  }

  /**
   * Partition of a row, by a hash of its key as Kafka's serializers write it: the bytes of a text,
   * or eight bytes of a number.
   */
  int partitionOf(int row, int count) {
    Texts texts = block.texts(key);
    if (texts != null) {
      return KafkaPartitions.of(texts.bytes(), texts.start(row), texts.length(row), count);
    }
    LONG.set(number, 0, block.longs(key)[row]);
    return KafkaPartitions.of(number, 0, number.length, count);
  }

  long mostBytes() {
    return mostBytes;
  }

  /** Upper bound of the length of a value without rows. */
  int headBytes() {
    return COLUMN_BYTES * columns.size();
  }

  long mostBytes(int row) {
    long max = rowBytes;
    for (int column : textColumns) {
      max += block.texts(column).length(row);
    }
    return max;
  }

  LogValue newValue(int partition, long arrivalMicros, int expected) {
    return new LogValue(partition, columns, time, headBytes(), arrivalMicros, expected);
  }

  /** Index of the first row with another key; −1 if there is none. */
  int foreignRow(String own) {
    byte[] utf8 = own.getBytes(StandardCharsets.UTF_8);
    Texts texts = block.texts(key);
    for (int row = 0; row < block.rows(); row++) {
      boolean isOwn =
          texts == null
              ? own.equals(Long.toString(block.longs(key)[row]))
              : Arrays.equals(
                  utf8,
                  0,
                  utf8.length,
                  texts.bytes(),
                  texts.start(row),
                  texts.start(row) + texts.length(row));
      if (!isOwn) {
        return row;
      }
    }
    return NONE;
  }

  long mostBytesOfPartition(int count) {
    long[] bytes = new long[count];
    int rows = rows();
    for (int row = 0; row < rows; row++) {
      bytes[partitionOf(row, count)] += mostBytes(row);
    }
    return Arrays.stream(bytes).max().orElse(0);
  }

  /** Groups rows by partition; returns the first row of each, valid until the next call. */
  int[] spread(int count) {
    int rows = rows();
    if (partitions.length < rows) {
      partitions = new int[Math.max(rows, partitions.length * 2)];
      next = new int[partitions.length];
    }
    if (first.length < count) {
      first = new int[count];
      Arrays.fill(first, NONE);
      firsts = new int[count];
    }
    int[] of = partitions;
    for (int row = rows - 1; row >= 0; row--) {
      int partition = partitionOf(row, count);
      of[row] = partition;
      next[row] = first[partition];
      first[partition] = row;
    }
    spreadOver = 0;
    for (int row = 0; row < rows; row++) {
      if (first[of[row]] == row) {
        firsts[spreadOver++] = row;
      }
    }
    for (int i = 0; i < spreadOver; i++) {
      first[of[firsts[i]]] = NONE;
    }
    return firsts;
  }

  int spreadOver() {
    return spreadOver;
  }

  int partition(int row) {
    return partitions[row];
  }

  /** Collects the rows of a partition, given its first row, into {@link #chained}. */
  int chain(int from) {
    if (chained.length < rows()) {
      chained = new int[partitions.length];
    }
    int count = 0;
    for (int row = from; row >= 0; row = next[row]) {
      chained[count++] = row;
    }
    return count;
  }

  int[] chained() {
    return chained;
  }

  /** Next row of the same partition; negative if none. */
  int next(int row) {
    return next[row];
  }
}
