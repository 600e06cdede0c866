package io.millrace.wire.gateway;

import io.millrace.wire.block.GatewayBlock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Records of gateways for tests. */
final class GatewayBlocks {
  private static final String[] IDS = {
    "g", "gw-000017", "häuschen", "a \"quoted\" \\ id", "0123456789abcde", "0123456789abcdef", "路由器"
  };

  private GatewayBlocks() {}

  static GatewayBlock random(Random random, int rows) {
    GatewayBlock block = new GatewayBlock(0);
    for (int row = 0; row < rows; row++) {
      int form = 1 + random.nextInt(3);
      long most =
          form == GatewayForm.RATE.code() ? GatewayRules.MOST_RATE : GatewayRules.MOST_BYTES;
      long millis = random.nextLong(GatewayRules.FIRST_MILLIS, GatewayRules.LAST_MILLIS + 1);
      add(
          block,
          IDS[random.nextInt(IDS.length)],
          millis,
          number(random, most),
          number(random, most),
          GatewayForm.of(form));
    }
    return block;
  }

  /** Numbers of every length, the extremes among them. */
  private static long number(Random random, long most) {
    return switch (random.nextInt(6)) {
      case 0 -> 0;
      case 1 -> most;
      default -> Math.min(most, random.nextLong() >>> (1 + random.nextInt(63)));
    };
  }

  static void add(GatewayBlock block, String id, long millis, long tx, long rx, GatewayForm form) {
    byte[] utf8 = id.getBytes(StandardCharsets.UTF_8);
    block.add(
        utf8,
        0,
        utf8.length,
        millis * 1_000,
        tx,
        rx,
        form.code(),
        GatewayBlock.NOWHERE,
        GatewayBlock.NOWHERE);
  }

  /** The rows as texts. */
  static List<String> rows(GatewayBlock block) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      rows.add(
          "%s %d %d %d %s"
              .formatted(
                  block.gateways().get(row),
                  block.time()[row],
                  block.tx()[row],
                  block.rx()[row],
                  GatewayForm.of(block.form()[row]).label()));
    }
    return rows;
  }
}
