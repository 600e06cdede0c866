package io.millrace.lab.siege;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Requests of 320,000 records each, sorted by gateway. */
final class SortedLoads implements Attack {
  private static final RecordEncoder ENCODER = new RecordEncoder(GatewayRecords.SCHEMA);
  private static final int GATEWAYS = 16;
  private static final int RECORDS = 20_000; // per gateway
  private static final double PER_SECOND = 1;
  private static final String AVRO = "Content-Type: application/avro\r\n";

  private int turn;

  @Override
  public void strike(Attacker from) throws IOException {
    from.ask(
        from.target().ingest(), Requests.records(from.target().relayToken(), AVRO, container()));
    from.pace(PER_SECOND);
  }

  private byte[] container() {
    TableBlock block = GatewayRecords.block(GATEWAYS * RECORDS);
    long now = System.currentTimeMillis() * 1_000 + turn++;
    for (int gateway = 0; gateway < GATEWAYS; gateway++) {
      byte[] id = ("bulk-" + gateway).getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < RECORDS; i++) {
        GatewayRecords.add(block, id, now + i * 1_000L, 1, 1, GatewayForm.COUNTER);
      }
    }
    BlockBuffer out = new BlockBuffer(1 << 20);
    ENCODER.container(block, new byte[16], out);
    return Arrays.copyOf(out.bytes(), out.length());
  }
}
