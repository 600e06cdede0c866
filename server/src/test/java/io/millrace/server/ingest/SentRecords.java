package io.millrace.server.ingest;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordBatch;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Records of ten gateways, each with a different time, and the records in a log. */
final class SentRecords {
  private static final int GATEWAYS = 10;
  private static final long TIME = 1_700_000_000_000L;

  private SentRecords() {}

  static TableBlock block(int records) {
    TableBlock block = GatewayRecords.block(records);
    for (int i = 0; i < records; i++) {
      byte[] id = gateway(i).getBytes(StandardCharsets.UTF_8);
      GatewayRecords.add(block, id, (TIME + i) * 1_000, i, 2L * i, GatewayForm.COUNTER);
    }
    return block;
  }

  private static String gateway(int record) {
    return "gateway-" + record % GATEWAYS;
  }

  /** A number of records in the format of {@link #of}. */
  static List<String> expected(int records) {
    return IntStream.range(0, records)
        .mapToObj(i -> text(gateway(i), TIME + i, i, 2L * i))
        .sorted()
        .toList();
  }

  private static String text(String gateway, long millis, long tx, long rx) {
    return gateway + " " + millis + " " + tx + " " + rx;
  }

  /** All records of the log, including duplicates, sorted. */
  static List<String> of(StallingLog log) {
    List<String> records = new ArrayList<>();
    for (int partition = 0; partition < log.partitions(); partition++) {
      for (byte[] value : log.values(partition)) {
        TableBlock block = RecordBatch.wrap(value, value.length).block().orElseThrow();
        for (int row = 0; row < block.rows(); row++) {
          records.add(
              text(
                  block.texts(GatewayRecords.ID).get(row),
                  block.longs(GatewayRecords.TIME)[row] / 1_000,
                  block.longs(GatewayRecords.TX)[row],
                  block.longs(GatewayRecords.RX)[row]));
        }
      }
    }
    records.sort(null);
    return records;
  }
}
