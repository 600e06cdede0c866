package io.millrace.server.ingest;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.gateway.GatewayBatch;
import io.millrace.wire.gateway.GatewayDecoder;
import io.millrace.wire.record.RecordErrors;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Records of ten gateways to send, each with a time of its own, and what of them a log has. */
final class SentRecords {
  private static final int GATEWAYS = 10;
  private static final long TIME = 1_700_000_000_000L;

  private SentRecords() {}

  static GatewayBlock block(int records) {
    GatewayBlock block = new GatewayBlock(records);
    for (int i = 0; i < records; i++) {
      byte[] id = gateway(i).getBytes(StandardCharsets.UTF_8);
      block.add(id, 0, id.length, (TIME + i) * 1_000, i, 2L * i, 1, -1, -1);
    }
    return block;
  }

  private static String gateway(int record) {
    return "gateway-" + record % GATEWAYS;
  }

  /** So many records as {@link #of} gives them. */
  static List<String> expected(int records) {
    return IntStream.range(0, records)
        .mapToObj(i -> text(gateway(i), TIME + i, i, 2L * i))
        .sorted()
        .toList();
  }

  private static String text(String gateway, long millis, long tx, long rx) {
    return gateway + " " + millis + " " + tx + " " + rx;
  }

  /** All records of the log, each as often as it stands there, sorted. */
  static List<String> of(StallingLog log) {
    List<String> records = new ArrayList<>();
    GatewayDecoder decoder = new GatewayDecoder();
    for (int partition = 0; partition < log.partitions(); partition++) {
      for (byte[] value : log.values(partition)) {
        GatewayBlock block = new GatewayBlock(16);
        RecordErrors errors = new RecordErrors();
        var unused = decoder.decode(GatewayBatch.wrap(value, value.length), block, errors);
        if (!errors.isEmpty()) {
          throw new AssertionError(errors.list().toString());
        }
        for (int row = 0; row < block.rows(); row++) {
          records.add(
              text(
                  block.gateways().get(row),
                  block.time()[row] / 1_000,
                  block.tx()[row],
                  block.rx()[row]));
        }
      }
    }
    records.sort(null);
    return records;
  }
}
