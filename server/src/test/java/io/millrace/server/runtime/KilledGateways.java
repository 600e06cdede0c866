package io.millrace.server.runtime;

import io.millrace.pipelines.gateways.GatewaysConfig;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import java.nio.file.Path;

/**
 * Process with an instance that sums gateways, to be killed. Sends records from a number on, and
 * prints {@code sent N} when those before N are logged.
 */
final class KilledGateways {
  private static final int BURST = 480;

  private KilledGateways() {}

  static MillraceConfig config(Path data) {
    GatewaysConfig gateways = GatewaysConfig.defaults().withEnabled(true).withSlots(2);
    return Instances.config(data).with(new GatewaysPipeline(gateways));
  }

  public static void main(String[] arguments) throws Exception {
    Millrace millrace = new Millrace(config(Path.of(arguments[0])));
    millrace.start();
    GatewaySender sender = new GatewaySender(millrace.bootstrapServers());
    long next = Long.parseLong(arguments[1]);
    while (true) {
      sender.send(next, next + BURST);
      next += BURST;
      System.out.println("sent " + next);
    }
  }
}
