package io.millrace.analytics.gateway;

import io.millrace.wire.record.GatewayForm;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Records of faulty gateways: about one per minute, late, duplicated, too late, from the future,
 * after silence, wrapped and restarted.
 */
final class GatewayTraffic {
  static final long WRAP = 1L << 20;
  private static final String[] IDS = {
    "gw-1", "gw-2", "a-gateway-with-a-long-name", "a-gateway-with-a-long-namf", "0123456789abcde"
  };

  private GatewayTraffic() {}

  static List<GatewayRecord> random(Random random, long startMillis, int count) {
    List<GatewayRecord> inOrder = new ArrayList<>();
    int gateways = 1 + random.nextInt(IDS.length);
    for (int i = 0; i < gateways; i++) {
      long now = startMillis + random.nextInt(3_600_000);
      long tx = random.nextLong(WRAP);
      long rx = random.nextLong(WRAP);
      GatewayForm form = GatewayForm.of(1 + random.nextInt(3));
      for (int n = count / gateways; n > 0; n--) {
        now += step(random);
        if (random.nextInt(40) == 0) {
          tx = 0;
          rx = 0;
        }
        tx += random.nextInt(30_000);
        rx += random.nextInt(60_000);
        boolean isRunning = form == GatewayForm.CUMULATIVE;
        inOrder.add(
            new GatewayRecord(
                IDS[i],
                now,
                isRunning ? tx % WRAP : random.nextInt(1 << 20),
                isRunning ? rx % WRAP : random.nextInt(1 << 20),
                form));
        if (random.nextInt(100) == 0) {
          form = GatewayForm.of(1 + random.nextInt(3));
        }
      }
    }
    return disordered(random, inOrder);
  }

  private static long step(Random random) {
    return switch (random.nextInt(60)) {
      case 0 -> 1 + random.nextInt(200_000_000);
      case 1 -> random.nextInt(900_000_000);
      case 2, 3, 4, 5, 6 -> 1 + random.nextInt(20_000_000);
      default -> 30_000 + random.nextInt(60_000);
    };
  }

  private static List<GatewayRecord> disordered(Random random, List<GatewayRecord> inOrder) {
    List<GatewayRecord> sent = new ArrayList<>();
    for (GatewayRecord record : inOrder) {
      int back = random.nextInt(8) == 0 ? random.nextInt(10) : 0;
      sent.add(Math.max(0, sent.size() - back), record);
      if (random.nextInt(10) == 0) {
        sent.add(Math.max(0, sent.size() - random.nextInt(12)), record);
      }
      if (random.nextInt(200) == 0) {
        sent.add(new GatewayRecord(record.gateway(), 3_000_000_000_000L, 1, 1, record.form()));
      }
    }
    return sent;
  }
}
