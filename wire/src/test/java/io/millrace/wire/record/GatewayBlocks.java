package io.millrace.wire.record;

import io.millrace.wire.block.TableBlock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Records of gateways for tests. */
final class GatewayBlocks {
  private static final String[] IDS = {
    "g", "gw-000017", "häuschen", "a \"quoted\" \\ id", "0123456789abcde", "0123456789abcdef", "路由器"
  };

  static final long MAX_BYTES = 1_000_000_000_000_000_000L;

  private GatewayBlocks() {}

  static TableBlock random(Random random, int rows) {
    TableBlock block = GatewayRecords.block(0);
    for (int row = 0; row < rows; row++) {
      int form = 1 + random.nextInt(3);
      long millis = random.nextLong(946_684_800_000L, 4_102_444_800_001L);
      add(
          block,
          IDS[random.nextInt(IDS.length)],
          millis,
          number(random, MAX_BYTES),
          number(random, MAX_BYTES),
          GatewayForm.of(form));
    }
    return block;
  }

  /** Numbers of every length, including the extremes. */
  private static long number(Random random, long max) {
    return switch (random.nextInt(6)) {
      case 0 -> 0;
      case 1 -> max;
      default -> Math.min(max, random.nextLong() >>> (1 + random.nextInt(63)));
    };
  }

  static void add(TableBlock block, String id, long millis, long tx, long rx, GatewayForm form) {
    byte[] utf8 = id.getBytes(StandardCharsets.UTF_8);
    GatewayRecords.add(block, utf8, millis * 1_000, tx, rx, form);
  }

  static RecordAttributes attribute(String name, String value) {
    return GatewayRecords.SCHEMA.attributes(each -> each.equals(name) ? value : null);
  }

  /** The rows as texts. */
  static List<String> rows(TableBlock block) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      rows.add(
          "%s %d %d %d %s"
              .formatted(
                  block.texts(GatewayRecords.ID).get(row),
                  block.longs(GatewayRecords.TIME)[row],
                  block.longs(GatewayRecords.TX)[row],
                  block.longs(GatewayRecords.RX)[row],
                  GatewayForm.of((int) block.longs(GatewayRecords.FORM)[row]).label()));
    }
    return rows;
  }
}
