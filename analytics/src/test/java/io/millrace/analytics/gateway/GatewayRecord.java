package io.millrace.analytics.gateway;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.gateway.GatewayForm;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A record of a gateway, as an object: for tests. */
record GatewayRecord(String gateway, long millis, long tx, long rx, GatewayForm form) {
  static final long ARRIVAL_MICROS = 1_800_000_000_000_000L;

  /** Records as a block that has arrived at one moment. */
  static GatewayBlock block(List<GatewayRecord> records) {
    GatewayBlock block = new GatewayBlock(records.size());
    for (GatewayRecord record : records) {
      byte[] id = record.gateway.getBytes(StandardCharsets.UTF_8);
      block.add(
          id,
          0,
          id.length,
          record.millis * 1_000,
          record.tx,
          record.rx,
          record.form.code(),
          GatewayBlock.NOWHERE,
          GatewayBlock.NOWHERE);
    }
    block.arrival(ARRIVAL_MICROS);
    return block;
  }
}
