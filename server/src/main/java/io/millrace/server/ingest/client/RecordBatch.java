package io.millrace.server.ingest.client;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.gateway.GatewayEncoder;
import io.millrace.wire.record.RecordEncoding;

final class RecordBatch {
  private final RecordEncoding encoding;
  private final BlockBuffer bytes = new BlockBuffer(1 << 10);
  private int records;

  RecordBatch(RecordEncoding encoding) {
    this.encoding = encoding;
  }

  void add(GatewayBlock block, int row) {
    if (encoding == RecordEncoding.AVRO) {
      GatewayEncoder.singleObject(block, row, bytes);
    } else {
      if (records > 0) {
        bytes.putByte('\n');
      }
      GatewayEncoder.json(block, row, true, bytes);
    }
    records++;
  }

  int records() {
    return records;
  }

  byte[] take() {
    byte[] taken = bytes.toBytes();
    bytes.clear();
    records = 0;
    return taken;
  }
}
