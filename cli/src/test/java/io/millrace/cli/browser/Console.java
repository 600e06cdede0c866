package io.millrace.cli.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.SentTraffic;
import io.millrace.cli.console.RuntimeOptions;
import io.millrace.pipelines.hitters.HittersConfig;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.pulse.FreePort;
import io.millrace.server.access.AccessToken;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.testing.Await;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.sflow.SflowEncoder;
import io.millrace.wire.sflow.SflowLayout;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * The web console of an instance with generated traffic, in a browser with a download directory.
 */
final class Console implements AutoCloseable {
  static final int WIDE = 1_400;
  static final int HEIGHT = 900;

  /** Checks of axe: all, or only those that depend on the theme. */
  static final String EVERYTHING = "{resultTypes: ['violations']}";

  static final String COLOURS =
      "{resultTypes: ['violations'],"
          + " runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block']}}";

  private static final int RATE = 2_000;

  private final Path directory;
  private final MillraceConfig config;
  private final Browser browser;
  private final String axe;
  private Millrace millrace;

  private Console(Path directory, Browser browser) throws IOException {
    this.directory = directory;
    this.browser = browser;
    try (InputStream script = Console.class.getResourceAsStream("/axe.min.js")) {
      axe = new String(script.readAllBytes(), UTF_8);
    }
    MillraceConfig defaults = MillraceConfig.defaults();
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    config =
        RuntimeOptions.withBundledDatasets(
            defaults
                .withData(directory.resolve("data"))
                .with(
                    new HittersPipeline(
                        HittersConfig.defaults()
                            .withEnabled(true)
                            .withEpoch(Duration.ofSeconds(1))))
                .withSection(
                    defaults
                        .store()
                        .withBoundaries(
                            Map.of(
                                "external", List.of("xe-0/0/_"),
                                "customer", List.of("xe-0/0/__"),
                                "internal", List.of("to %"))))
                .withSection(defaults.http().withPort(FreePort.any()))
                .withSection(defaults.flight().withoutListening())
                .withSection(
                    defaults.collector().withListen(loopback).withReceiveBufferBytes(4 << 20)),
            directory.resolve("datasets"));
    start(config);
    browser.screen(WIDE, HEIGHT, false);
  }

  /** Starts instance and browser; empty without a browser. */
  static Optional<Console> start(Path directory) throws IOException {
    Optional<Browser> browser = Browser.start(directory);
    return browser.isEmpty()
        ? Optional.empty()
        : Optional.of(new Console(directory, browser.get()));
  }

  private void start(MillraceConfig how) throws IOException {
    millrace = new Millrace(how);
    millrace.start();
  }

  /** Stops the instance, runs {@code meanwhile}, and starts another one with a token. */
  void startAgain(AccessToken token, Runnable meanwhile) throws IOException {
    millrace.close();
    meanwhile.run();
    start(config.withSection(config.http().withToken(token)));
  }

  Browser browser() {
    return browser;
  }

  Path downloads() {
    return directory;
  }

  int udpPort() {
    return millrace.udpPort();
  }

  void open(String page) {
    browser.open("about:blank"); // a page that differs after the # alone is not loaded again
    browser.open(millrace.url() + "/" + page);
  }

  /** Sends traffic, and waits until it is stored. */
  void send(int seconds) throws IOException {
    SentTraffic.to(millrace, RATE, seconds);
    sendNames();
    SentTraffic.drain(millrace);
  }

  /** Runs a task while traffic arrives, after some minutes of it. */
  void amidTraffic(int minutes, Task task) throws Exception {
    long rows = millrace.table().rows();
    Future<?> sending =
        ForkJoinPool.commonPool()
            .submit(
                () -> {
                  SentTraffic.to(millrace, RATE, (minutes + 1) * 60);
                  return null;
                });
    for (int i = 1; i <= minutes; i++) {
      long then = rows + i * 60L * RATE;
      Await.until("minute " + i + " of traffic", () -> millrace.table().rows() >= then);
    }
    task.run();
    sending.get();
  }

  interface Task {
    void run() throws Exception;
  }

  /**
   * Sends the names of all interfaces, and the counters of one interface, which it then sends
   * again, truncated.
   */
  private void sendNames() throws IOException {
    TrafficConfig.Exporters switches = TrafficConfig.Exporters.DEFAULT;
    for (int i = 0; i < switches.count(); i++) {
      SflowEncoder encoder = begin(switches.firstAddress() + i, 1);
      for (int port = 1; port <= switches.portsPerSwitch(); port++) {
        name(encoder, port, "xe-0/0/" + port);
      }
      for (int other = 0; other < switches.count(); other++) {
        name(encoder, 1_001 + other, "to switch " + other);
      }
      byte[] names = encoder.toBytes();
      sendDatagram(i, names, names.length);
    }
    SflowEncoder encoder = begin(switches.firstAddress(), 2);
    CounterBlock counters = new CounterBlock(1);
    counters.ints(CounterColumn.IF_INDEX)[0] = 1;
    counters.longs(CounterColumn.IF_SPEED)[0] = 10_000_000_000L;
    encoder.counterSample(2, 0, 1);
    encoder.interfaceCounters(counters, 0);
    byte[] whole = encoder.toBytes();
    sendDatagram(0, whole, whole.length);
    sendDatagram(0, whole, whole.length - 8);
  }

  private static SflowEncoder begin(int agent, int sequence) {
    SflowEncoder encoder = new SflowEncoder(9_000);
    encoder.begin(0, Addresses.v4Low(agent), 9, sequence, 1_000);
    return encoder;
  }

  private static void name(SflowEncoder encoder, int port, String name) {
    byte[] text = name.getBytes(UTF_8);
    byte[] record =
        ByteBuffer.allocate(4 + SflowLayout.padded(text.length))
            .putInt(text.length)
            .put(text)
            .array();
    encoder.counterSample(1, 0, port);
    encoder.record(SflowLayout.PORT_NAME, record, 0, record.length);
  }

  /** Sends a prefix of a datagram of one of the switches. */
  private void sendDatagram(int number, byte[] datagram, int length) throws IOException {
    InetAddress from = InetAddress.getByName("127.0.0." + (11 + number));
    try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(from, 0))) {
      socket.send(
          new DatagramPacket(
              datagram,
              length,
              new InetSocketAddress(InetAddress.getLoopbackAddress(), millrace.udpPort())));
    }
  }

  /** Violations that axe finds on the page. */
  List<String> findings(String options) {
    if (!browser.value("'axe' in window").asBoolean()) {
      browser.run(axe);
    }
    JsonNode found =
        browser.answer(
            "const done = arguments[arguments.length - 1];"
                + "axe.run(document, "
                + options
                + ").then(({violations}) => done(violations.map(each =>"
                + " each.id + ': ' + each.nodes.map(node => node.html + ' ' + node.failureSummary).join(' | '))))");
    return Stream.iterate(0, i -> i < found.size(), i -> i + 1)
        .map(i -> found.get(i).asText())
        .toList();
  }

  @Override
  public void close() {
    browser.close();
    if (millrace != null) {
      millrace.close();
    }
  }
}
