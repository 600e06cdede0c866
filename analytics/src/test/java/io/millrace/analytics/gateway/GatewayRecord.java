package io.millrace.analytics.gateway;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordColumns;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A record of a gateway, as an object: for tests. */
record GatewayRecord(String gateway, long millis, long tx, long rx, GatewayForm form) {
  static final long ARRIVAL_MICROS = 1_800_000_000_000_000L;

  /** A block of records with the same arrival. */
  static TableBlock block(List<GatewayRecord> records) {
    TableBlock block = GatewayRecords.block(records.size());
    for (GatewayRecord record : records) {
      byte[] id = record.gateway.getBytes(StandardCharsets.UTF_8);
      GatewayRecords.add(block, id, record.millis * 1_000, record.tx, record.rx, record.form);
    }
    return new RecordColumns(GatewayRecords.SCHEMA)
        .place(block, 0, 0, ARRIVAL_MICROS)
        .orElseThrow();
  }
}
