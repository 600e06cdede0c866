package io.millrace.server.ingest;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.block.Texts;
import io.millrace.wire.gateway.GatewayDecoder;
import io.millrace.wire.record.KafkaPartitions;
import io.millrace.wire.record.RecordErrors;
import java.util.Arrays;

final class GatewayDecoding extends Decoding {
  /** Upper bound of a re-encoded record: an id and four numbers. */
  private static final int MOST_REENCODED_BYTES = 112;

  private static final ThreadLocal<GatewayDecoding> OF_THREAD =
      ThreadLocal.withInitial(GatewayDecoding::new);

  private final GatewayDecoder decoder = new GatewayDecoder();
  private final RecordErrors errors = new RecordErrors();
  private GatewayBlock block = new GatewayBlock(64);
  private byte[] source;
  private RecordKind kind;
  private int sourceLength;

  private GatewayDecoding() {}

  static GatewayDecoding ofThread() {
    return OF_THREAD.get();
  }

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

  @Override
  void release() {
    super.release();
    source = null;
    if (block.rows() > MOST_KEPT_ROWS) {
      block = new GatewayBlock(64);
    }
  }

  GatewayBlock block() {
    return block;
  }

  byte[] source() {
    return source;
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
    return kind.number();
  }

  @Override
  int partitionOf(int row, int count) {
    Texts ids = block.gateways();
    return KafkaPartitions.of(ids.bytes(), ids.start(row), ids.length(row), count);
  }

  @Override
  long mostBytes() {
    return sourceLength + (long) block.rows() * MOST_REENCODED_BYTES;
  }

  @Override
  long mostBytes(int row) {
    int start = block.sourceStart(row);
    return start == GatewayBlock.NOWHERE ? MOST_REENCODED_BYTES : block.sourceEnd(row) - start + 1;
  }

  @Override
  GatewayValue newValue(int partition, long arrivalMicros) {
    return new GatewayValue(partition, kind, arrivalMicros);
  }

  @Override
  int foreignRow(byte[] gateway) {
    Texts ids = block.gateways();
    for (int row = 0; row < block.rows(); row++) {
      int start = ids.start(row);
      if (!Arrays.equals(gateway, 0, gateway.length, ids.bytes(), start, start + ids.length(row))) {
        return row;
      }
    }
    return -1;
  }
}
