package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.server.collect.CollectorConfig;
import io.millrace.server.flight.FlightConfig;
import io.millrace.server.ingest.IngestConfig;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortCheckTest {
  @TempDir Path dir;

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private void isRejected(MillraceConfig config, String setting) {
    assertThatThrownBy(() -> new Millrace(config).start())
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot listen on ")
        .hasMessageContaining("(" + setting + ")");
    assertThat(dir.resolve("data")).as("nothing was made").doesNotExist();
  }

  @Test
  void aPortInUseIsReportedFirst() throws IOException {
    MillraceConfig config = Instances.config(dir.resolve("data"));
    try (ServerSocket tcp = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        DatagramSocket udp = new DatagramSocket(loopback(0))) {
      int port = tcp.getLocalPort();
      isRejected(config.withSection(config.http().withPort(port)), "http.port");
      isRejected(config.withSection(FlightConfig.DEFAULTS.withPort(port)), "flight.port");
      isRejected(config.withSection(config.log().withPort(port)), "log.port");
      isRejected(config.withSection(config.job().withRestPort(port)), "job.rest-port");
      isRejected(config.withSection(IngestConfig.OFF.withListen(loopback(port))), "ingest.listen");
      isRejected(config.withSection(config.store().withListen(loopback(port))), "store.listen");
      isRejected(
          config.withSection(
              CollectorConfig.defaults().withListen(loopback(0), loopback(udp.getLocalPort()))),
          "collector.listen");
    }
    assertThatCode(() -> PortCheck.check(config)).doesNotThrowAnyException();
  }
}
