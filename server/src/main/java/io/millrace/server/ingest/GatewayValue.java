package io.millrace.server.ingest;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.gateway.GatewayBatch;
import io.millrace.wire.gateway.GatewayEncoder;
import io.millrace.wire.record.RecordEncoding;
import java.util.Arrays;

final class GatewayValue extends LogValue {
  private final RecordKind kind;
  private final GatewayBatch.Writer writer = new GatewayBatch.Writer();
  private BlockBuffer anew;
  private byte[] key; // common key of the records; null if they differ

  GatewayValue(int partition, RecordKind kind, long arrivalMicros) {
    super(partition, kind.number());
    this.kind = kind;
    writer.begin(kind.encoding(), kind.byPath(), arrivalMicros, null, -1);
    if (kind.isBackfill()) {
      writer.backfill();
    }
  }

  @Override
  void add(Decoding decoded, int row) {
    GatewayDecoding gateways = (GatewayDecoding) decoded;
    GatewayBlock block = gateways.block();
    int start = block.sourceStart(row);
    if (start != GatewayBlock.NOWHERE) {
      writer.add(gateways.source(), start, block.sourceEnd(row) - start);
    } else {
      addReencoded(block, row);
    }
    byte[] ids = block.gateways().bytes();
    int id = block.gateways().start(row);
    int end = id + block.gateways().length(row);
    if (writer.count() == 1) {
      key = Arrays.copyOfRange(ids, id, end);
    } else if (key != null && !Arrays.equals(key, 0, key.length, ids, id, end)) {
      key = null;
    }
  }

  private void addReencoded(GatewayBlock block, int row) {
    if (anew == null) {
      anew = new BlockBuffer(1 << 10);
    }
    anew.clear();
    if (kind.encoding() == RecordEncoding.AVRO) {
      GatewayEncoder.datum(block, row, anew);
    } else {
      GatewayEncoder.json(block, row, true, anew);
    }
    writer.add(anew.bytes(), 0, anew.length());
  }

  @Override
  int records() {
    return writer.count();
  }

  @Override
  int recordBytes() {
    return writer.length();
  }

  @Override
  byte[] key() {
    return key;
  }

  @Override
  void addSender(byte[] client, long frame) {
    writer.addSender(client, frame);
  }

  @Override
  byte[] write() {
    return writer.toBytes();
  }
}
