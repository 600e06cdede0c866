package io.millrace.cli.deploy;

import io.millrace.cli.console.RuntimeOptions;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.pipelines.gateways.GatewaysConfig;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.pipelines.quota.QuotaConfig;
import io.millrace.pipelines.quota.QuotaPipeline;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.testing.Await;
import io.millrace.traffic.DemoData;
import io.millrace.traffic.ExporterSockets;
import io.millrace.traffic.Pace;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.UdpSender;
import io.millrace.traffic.model.TrafficConfig;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;

/** An instance with everything that has metrics: data sets, Flight SQL, streams, a webhook. */
final class MonitoredInstance implements AutoCloseable {
  private static final int RATE = 2_000;

  /** Header of an sFlow datagram of version 5 that ends within the address of its agent. */
  private static final byte[] MALFORMED = {0, 0, 0, 5, 0, 0, 0, 1, 127, 0};

  private final HttpClient http = HttpClient.newHttpClient();
  private final Millrace millrace;
  private int sent;
  private boolean isClosed;

  private MonitoredInstance(Millrace millrace) {
    this.millrace = millrace;
  }

  static MonitoredInstance start(Path directory) throws IOException {
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    MillraceConfig defaults = MillraceConfig.defaults();
    Millrace millrace =
        new Millrace(
            RuntimeOptions.withBundledDatasets(
                defaults
                    .withData(directory.resolve("data"))
                    .withSection(defaults.http().withPort(0))
                    .withSection(defaults.flight().withPort(0))
                    .withSection(IngestConfig.OFF.withListen(loopback))
                    .withSection(
                        FlinkConfig.defaults()
                            .withSlots(2)
                            .withCheckpointInterval(Duration.ofMillis(500)))
                    .withSection(
                        defaults.collector().withListen(loopback).withReceiveBufferBytes(4 << 20))
                    .with(new GatewaysPipeline(GatewaysConfig.defaults().withEnabled(true)))
                    .with(
                        new QuotaPipeline(QuotaConfig.defaults().running(1, "http://127.0.0.1:1"))),
                directory.resolve("datasets")));
    millrace.start();
    MonitoredInstance instance = new MonitoredInstance(millrace);
    Await.until("Flight SQL", () -> millrace.flightUrl().isPresent());
    return instance;
  }

  Millrace millrace() {
    return millrace;
  }

  /** Host and port of the API. */
  String address() {
    return URI.create(millrace.url()).getAuthority();
  }

  /** Sends a second of flows at their time. */
  void sendFlows() throws IOException {
    TrafficGenerator generator =
        new TrafficGenerator(
            TrafficConfig.defaults(++sent, System.currentTimeMillis() * 1_000)
                .withSamplesPerSecond(RATE),
            DemoData.pool());
    try (ExporterSockets sockets =
        new ExporterSockets(
            generator,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), millrace.udpPort()))) {
      var unused =
          new UdpSender(generator, sockets)
              .send(Pace.samplesPerSecond(RATE), RATE, Long.MAX_VALUE, UdpSender.Listener.NONE);
    }
  }

  void sendMalformed(int datagrams) throws IOException {
    try (DatagramSocket socket = new DatagramSocket()) {
      for (int i = 0; i < datagrams; i++) {
        socket.send(
            new DatagramPacket(
                MALFORMED, MALFORMED.length, InetAddress.getLoopbackAddress(), millrace.udpPort()));
      }
    }
  }

  String get(String path) throws IOException, InterruptedException {
    return body(request(path));
  }

  String post(String path, String json) throws IOException, InterruptedException {
    return body(request(path).POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(millrace.url() + path));
  }

  private String body(HttpRequest.Builder request) throws IOException, InterruptedException {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
  }

  /** May be called again. */
  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      millrace.close();
    }
  }
}
