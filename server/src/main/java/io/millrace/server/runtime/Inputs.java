package io.millrace.server.runtime;

import io.millrace.engine.bridge.TopicBridge;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pipelines.kafka.KafkaTopics;
import io.millrace.server.capture.CaptureConfig;
import io.millrace.server.capture.PacketCollector;
import io.millrace.server.collect.InterfaceCounts;
import io.millrace.server.collect.LossLedger;
import io.millrace.server.collect.UdpCollector;
import io.millrace.server.ingest.IngestServer;
import io.millrace.store.FlowTable;
import io.millrace.store.Store;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Inputs of the log: UDP collector with ledger, packet capture, external topics, and the ingest
 * listener. Start once; thread-safe afterwards.
 */
final class Inputs {
  private static final long DRAIN_POLL_NANOS = 250_000_000;

  private final MillraceConfig config;
  private final String servers;
  private final Closers closers;
  private LogWriter writer;
  private LogSpace logSpace;
  private UdpCollector collector;
  private LossLedger ledger;
  private ExporterList exporters;
  private final List<PacketCollector> packets = new CopyOnWriteArrayList<>();
  private TopicBridge bridge; // null if no topic is configured
  private IngestServer ingest; // null if disabled

  Inputs(MillraceConfig config, String servers, Closers closers) {
    this.config = config;
    this.servers = servers;
    this.closers = closers;
  }

  private LogWriter writer(String topic) {
    return writer(topic, () -> false);
  }

  private LogWriter writer(String topic, BooleanSupplier isDiskFull) {
    return closers.add(
        IngestPriority.raised(() -> new LogWriter(servers, topic, config.log(), isDiskFull)));
  }

  void startCollector(DataDirectory directory, Store store, Supplier<FlowTable> table)
      throws IOException {
    LogConfig log = config.log();
    logSpace = log.embedded() ? LogSpace.of(directory.log()) : LogSpace.ELSEWHERE;
    writer = writer(FlowsPipeline.TOPIC, logSpace::isShort);
    collector =
        closers.add(
            new UdpCollector(
                config.collector(),
                config.ledgers().keepMicros(),
                directory.ledger(),
                writer,
                new LogTail(servers, FlowsPipeline.TOPIC)));
    collector.start();
    ledger =
        new LossLedger(
            collector::snapshot, new StoredCounts(store::isOpen, table), this::interfaces);
    exporters = closers.add(new ExporterList(ledger::report, store));
    exporters.start();
  }

  void startCapture() throws IOException {
    CaptureConfig settings = config.capture();
    LogWriter blocks = writer(CountPipeline.TOPIC, logSpace::isShort);
    for (List<String> group : settings.groups()) {
      PacketCollector each = closers.add(new PacketCollector(group, settings, blocks));
      each.start();
      packets.add(each);
    }
  }

  List<InterfaceCounts> interfaces() {
    return packets.stream().flatMap(each -> each.counts().stream()).toList();
  }

  void startBridge(DataDirectory directory) throws IOException {
    if (!config.kafka().in().enabled()) {
      return;
    }
    LogWriter own = writer(FlowsPipeline.TOPIC);
    String source = KafkaTopics.bootstrap(config.kafka().in().bootstrap(), servers);
    String member = "millrace-" + directory.id();
    bridge = closers.add(new TopicBridge(config.kafka().in(), member, source, own));
    bridge.start();
  }

  void startIngest(DataDirectory directory, List<RecordStream> streams) throws IOException {
    if (config.ingest().listen() == null) {
      return;
    }
    ingest = closers.add(new IngestServer(config.ingest()));
    ingest.acceptHosts(config.http().hosts());
    for (RecordStream stream : streams) {
      String topic = stream.topic();
      ingest.addStream(
          stream.schema(), writer(topic), servers, topic, directory.frames(stream.name()));
    }
    ingest.start();
  }

  UdpCollector collector() {
    return collector;
  }

  LossLedger.Report ledger() {
    return ledger.report();
  }

  void saveLedger(Path file) throws IOException {
    collector.saveTo(file);
  }

  long unsampledRows() {
    return exporters.unsampledRows();
  }

  long datagrams() {
    return writer.counts().offeredRows();
  }

  Optional<TopicBridge> bridge() {
    return Optional.ofNullable(bridge);
  }

  Optional<IngestServer> ingest() {
    return Optional.ofNullable(ingest);
  }

  List<String> listening() {
    return collector.addresses().stream().map(Inputs::text).toList();
  }

  static String text(InetSocketAddress address) {
    InetAddress host = address.getAddress();
    if (host.isAnyLocalAddress()) {
      return "0.0.0.0:" + address.getPort(); // dual stack: also receives IPv6
    }
    return host instanceof Inet6Address
        ? "[" + host.getHostAddress() + "]:" + address.getPort()
        : host.getHostAddress() + ":" + address.getPort();
  }

  boolean awaitDrained(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    long received = -1;
    while (System.nanoTime() < deadline) {
      boolean stored = ledger().exporters().stream().allMatch(entry -> entry.inFlight() == 0);
      // Datagrams in socket buffers do not count as received: two equal counts show that the
      // buffers are empty.
      if (stored && received == datagrams()) {
        return true;
      }
      received = stored ? datagrams() : -1;
      LockSupport.parkNanos(DRAIN_POLL_NANOS);
    }
    return false;
  }

  List<String> problems() {
    List<String> problems = new ArrayList<>(collector.check());
    logSpace.problem().ifPresent(problems::add);
    if (!writer.lastFailure().isEmpty()) {
      problems.add("the log rejected or lost batches, last error: " + writer.lastFailure());
    }
    interfaces().stream()
        .map(InterfaceCounts::failure)
        .filter(f -> !f.isEmpty())
        .forEach(problems::add);
    exporters.countedTwice().ifPresent(problems::add);
    bridge()
        .filter(b -> !b.failure().isEmpty())
        .ifPresent(b -> problems.add("kafka.in fails: " + b.failure()));
    return problems;
  }
}
