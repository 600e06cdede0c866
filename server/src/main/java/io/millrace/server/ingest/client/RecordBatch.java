package io.millrace.server.ingest.client;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoder;
import io.millrace.wire.record.RecordEncoding;

final class RecordBatch {
  private final RecordEncoder encoder = new RecordEncoder(GatewayRecords.SCHEMA);
  private final RecordEncoding encoding;
  private final BlockBuffer bytes = new BlockBuffer(1 << 10);
  private int records;

  RecordBatch(RecordEncoding encoding) {
    this.encoding = encoding;
  }

  void add(TableBlock block, int row) {
    if (encoding == RecordEncoding.AVRO) {
      encoder.singleObject(block, row, bytes);
    } else {
      if (records > 0) {
        bytes.putByte('\n');
      }
      encoder.json(block, row, bytes);
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
