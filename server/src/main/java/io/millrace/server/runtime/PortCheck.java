package io.millrace.server.runtime;

import io.millrace.server.api.HttpConfig;
import io.millrace.server.capture.PacketCollector;
import io.millrace.server.flight.FlightConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.channels.DatagramChannel;
import java.util.OptionalInt;

/**
 * Checks, before the start, that the configured addresses can be bound. Another process may still
 * take a port between check and start.
 */
final class PortCheck {
  private interface Probe {
    void bind(InetSocketAddress address) throws IOException;
  }

  private PortCheck() {}

  static void check(MillraceConfig config) throws IOException {
    HttpConfig http = config.http();
    tcp("http.port", new InetSocketAddress(http.address(), http.port()));
    FlightConfig flight = config.flight();
    if (flight.enabled()) {
      tcp("flight.port", new InetSocketAddress(flight.address(), flight.port()));
    }
    if (config.log().embedded()) {
      loopback("log.port", OptionalInt.of(config.log().port()));
    }
    loopback("job.rest-port", config.job().restPort());
    tcp("ingest.listen", config.ingest().listen());
    tcp("store.listen", config.store().listen());
    for (InetSocketAddress address : config.collector().listen()) {
      probe("collector.listen", address, PortCheck::bindUdp);
    }
    PacketCollector.check(config.capture());
    for (String name : config.capture().interfaces()) {
      if (config.capture().filter().isEmpty() && NetworkInterface.getByName(name).isLoopback()) {
        throw new IOException(
            "capture.interfaces: "
                + name
                + " also carries the log, so each captured packet would be captured again: exclude"
                + " its port with capture.filter, such as not port 9092");
      }
    }
  }

  private static void loopback(String setting, OptionalInt port) throws IOException {
    if (port.isPresent()) {
      tcp(setting, new InetSocketAddress(InetAddress.getLoopbackAddress(), port.getAsInt()));
    }
  }

  private static void tcp(String setting, InetSocketAddress address) throws IOException {
    probe(setting, address, PortCheck::bindTcp);
  }

  private static void bindTcp(InetSocketAddress address) throws IOException {
    try (ServerSocket probe = new ServerSocket()) {
      probe.bind(address);
    }
  }

  private static void bindUdp(InetSocketAddress address) throws IOException {
    try (DatagramChannel probe = DatagramChannel.open()) {
      probe.bind(address);
    }
  }

  private static void probe(String setting, InetSocketAddress address, Probe probe)
      throws IOException {
    if (address == null || address.getPort() == 0) {
      return; // disabled, or a free port is used
    }
    try {
      if (address.isUnresolved()) {
        throw new IOException("no such host");
      }
      probe.bind(address);
    } catch (IOException e) {
      throw new IOException(
          "cannot listen on %s:%d (%s): %s"
              .formatted(address.getHostString(), address.getPort(), setting, e.getMessage()),
          e);
    }
  }
}
