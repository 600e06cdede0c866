package io.millrace.server.ingest;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.block.Texts;
import io.millrace.wire.gateway.GatewayDecoder;
import io.millrace.wire.record.RecordErrors;
import io.millrace.wire.record.KafkaPartitions;
import java.util.Arrays;

/** What one thread needs to decode; its memory is used again for each request and frame. */
final class Decoding {
  /** A block that has grown beyond so many rows is not kept. */
  private static final int MOST_KEPT_ROWS = 1 << 15;

  /** Of a record that is written anew: an id and four numbers. */
  private static final int MOST_ANEW_BYTES = 112;

  private static final int NONE = -1;

  private static final ThreadLocal<Decoding> OF_THREAD = ThreadLocal.withInitial(Decoding::new);

  private final GatewayDecoder decoder = new GatewayDecoder();
  private final RecordErrors errors = new RecordErrors();
  private GatewayBlock block = new GatewayBlock(64);
  private byte[] source;
  private RecordKind kind;
  private int sourceLength;

  // Rows by partition: a chain of rows for each, made by spread().
  private int[] partitions = new int[64];
  private int[] next = new int[64];
  private int[] firsts = new int[16];
  private int[] first = new int[0]; // by partition; −1 for none, between two calls always
  private int spreadOver;

  private Decoding() {}

  /** This thread's. */
  static Decoding ofThread() {
    return OF_THREAD.get();
  }

  /**
   * Decodes; what was decoded before is forgotten.
   *
   * @param maxUnpackedBytes that compressed blocks may be together, unpacked
   */
  void decode(RecordKind kind, byte[] bytes, int offset, int length, int maxUnpackedBytes) {
    block.clear();
    errors.clear();
    source = bytes;
    sourceLength = length;
    this.kind = kind;
    var unused =
        decoder.decode(
            kind.encoding(), bytes, offset, length, kind.byPath(), block, errors, maxUnpackedBytes);
  }

  /** Lets go of what was decoded, when nobody looks at it any more. */
  void release() {
    source = null;
    if (block.rows() > MOST_KEPT_ROWS) {
      block = new GatewayBlock(64);
      partitions = new int[64];
      next = new int[64];
    }
  }

  /** The good records. */
  GatewayBlock block() {
    return block;
  }

  /** What is wrong with the others. */
  RecordErrors errors() {
    return errors;
  }

  /** What the block was decoded from. */
  byte[] source() {
    return source;
  }

  RecordKind kind() {
    return kind;
  }

  /** No more than that goes into values. */
  long mostBytes() {
    return sourceLength + (long) block.rows() * MOST_ANEW_BYTES;
  }

  /** As above, of the partition that gets most. */
  long mostBytesOfPartition(int count) {
    long[] bytes = new long[count];
    Texts ids = block.gateways();
    for (int row = 0; row < block.rows(); row++) {
      int start = block.sourceStart(row);
      bytes[KafkaPartitions.of(ids.bytes(), ids.start(row), ids.length(row), count)] +=
          start == GatewayBlock.NOWHERE ? MOST_ANEW_BYTES : block.sourceEnd(row) - start + 1;
    }
    return Arrays.stream(bytes).max().orElse(0);
  }

  /**
   * Deals the rows out: what it gives holds, up to {@link #spreadOver}, the first row of each
   * partition that gets some, in the order of the rows. Good until the next call.
   */
  int[] spread(int count) {
    int rows = block.rows();
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
    Texts ids = block.gateways();
    for (int row = rows - 1; row >= 0; row--) {
      int partition = KafkaPartitions.of(ids.bytes(), ids.start(row), ids.length(row), count);
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

  /** How many partitions get rows. */
  int spreadOver() {
    return spreadOver;
  }

  /** The partition of a row that was spread. */
  int partition(int row) {
    return partitions[row];
  }

  /** The next row of the same partition; negative if there is none. */
  int next(int row) {
    return next[row];
  }
}
