package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.runtime.Millrace;
import io.millrace.traffic.DemoData;
import io.millrace.traffic.ExporterSockets;
import io.millrace.traffic.Pace;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.UdpSender;
import io.millrace.traffic.model.TrafficConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Sends synthetic current flows to an instance. */
public final class SentTraffic {
  private SentTraffic() {}

  /** Sends {@code rate} samples a second. */
  public static void to(Millrace millrace, int rate, int seconds) throws IOException {
    TrafficGenerator generator =
        new TrafficGenerator(
            TrafficConfig.defaults(1, System.currentTimeMillis() * 1_000)
                .withSamplesPerSecond(rate),
            DemoData.pool());
    try (ExporterSockets sockets =
        new ExporterSockets(
            generator,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), millrace.udpPort()))) {
      var unused =
          new UdpSender(generator, sockets)
              .send(
                  Pace.samplesPerSecond(rate),
                  (long) rate * seconds,
                  Long.MAX_VALUE,
                  UdpSender.Listener.NONE);
    }
  }

  /** Waits until everything sent is stored. */
  public static void drain(Millrace millrace) {
    assertThat(millrace.awaitDrained(Duration.ofMinutes(1))).isTrue();
  }
}
