package io.millrace.server.ingest;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.block.Texts;
import io.millrace.wire.gateway.GatewayDecoder;
import io.millrace.wire.gateway.GatewayErrors;
import io.millrace.wire.gateway.KafkaPartitions;

/** What one thread needs to decode; its memory is used again for each request and frame. */
final class Decoding {
  /** A block that has grown beyond so many rows is not kept. */
  private static final int MOST_KEPT_ROWS = 1 << 15;

  private static final ThreadLocal<Decoding> OF_THREAD = ThreadLocal.withInitial(Decoding::new);

  private final GatewayDecoder decoder = new GatewayDecoder();
  private final GatewayErrors errors = new GatewayErrors();
  private GatewayBlock block = new GatewayBlock(64);
  private byte[] source;
  private RecordKind kind;
  private int[] partitions = new int[64];

  private Decoding() {}

  /** This thread's. */
  static Decoding ofThread() {
    return OF_THREAD.get();
  }

  /** Decodes; what was decoded before is forgotten. */
  void decode(RecordKind kind, byte[] bytes, int offset, int length) {
    if (block.rows() > MOST_KEPT_ROWS) {
      block = new GatewayBlock(64);
      partitions = new int[64];
    }
    block.clear();
    errors.clear();
    source = bytes;
    this.kind = kind;
    var unused =
        decoder.decode(kind.encoding(), bytes, offset, length, kind.byPath(), block, errors);
  }

  /** The good records. */
  GatewayBlock block() {
    return block;
  }

  /** What is wrong with the others. */
  GatewayErrors errors() {
    return errors;
  }

  /** What the block was decoded from. */
  byte[] source() {
    return source;
  }

  RecordKind kind() {
    return kind;
  }

  /** The partition of each row; good until the next call. */
  int[] partitions(int count) {
    int rows = block.rows();
    if (partitions.length < rows) {
      partitions = new int[Math.max(rows, partitions.length * 2)];
    }
    int[] of = partitions;
    Texts ids = block.gateways();
    for (int row = 0; row < rows; row++) {
      of[row] = KafkaPartitions.of(ids.bytes(), ids.start(row), ids.length(row), count);
    }
    return of;
  }
}
