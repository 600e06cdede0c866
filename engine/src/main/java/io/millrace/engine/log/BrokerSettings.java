package io.millrace.engine.log;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.metadata.storage.Formatter;

final class BrokerSettings {
  static final String DATA = "log.dirs";

  static final int MAX_REPLICAS = 3;

  /**
   * Maximum duration of a start: Kafka waits forever for a metadata log that has lost its
   * beginning.
   */
  private static final Duration LONGEST_START = Duration.ofMinutes(5);

  /**
   * Timeout of a broker without heartbeats; until then nothing can be written to its partitions.
   */
  private static final Duration SESSION = Duration.ofSeconds(3);

  /** Kafka logs an error if a controller is later than this, as occurs on a busy machine. */
  private static final Duration HEARTBEAT = Duration.ofMillis(500);

  private static final String FORMATTED = "meta.properties";

  private BrokerSettings() {}

  /**
   * Options for small nodes. Of three, two acknowledge a value; of two, only one, since otherwise
   * the loss of either would stop both.
   */
  static Map<String, String> of(BrokerNode self, List<BrokerNode> all) {
    String replicas = Integer.toString(Math.min(MAX_REPLICAS, all.size()));
    String inSync = all.size() >= MAX_REPLICAS ? "2" : "1";
    boolean votes = self.votes(all.size());
    String voters =
        all.stream()
            .filter(node -> node.votes(all.size()))
            .map(node -> node.id() + "@" + node.host() + ":" + node.controllerPort())
            .collect(Collectors.joining(","));
    Map<String, String> p = new HashMap<>();
    p.put("process.roles", votes ? "broker,controller" : "broker");
    p.put("node.id", Integer.toString(self.id()));
    String log = "LOG://" + self.address();
    p.put(
        "listeners",
        votes ? log + ",CONTROLLER://" + self.host() + ":" + self.controllerPort() : log);
    p.put("advertised.listeners", log);
    p.put("listener.security.protocol.map", "LOG:PLAINTEXT,CONTROLLER:PLAINTEXT");
    p.put("inter.broker.listener.name", "LOG");
    p.put("controller.listener.names", "CONTROLLER");
    p.put("controller.quorum.voters", voters);

    p.put("num.network.threads", "1");
    p.put("num.io.threads", "2");
    p.put("num.recovery.threads.per.data.dir", "2");
    p.put("background.threads", "1");
    p.put("log.cleaner.threads", "1");
    p.put("log.cleaner.dedupe.buffer.size", Integer.toString(2 << 20));
    p.put("socket.send.buffer.bytes", Integer.toString(LogClients.SOCKET_BUFFER_BYTES));
    p.put("socket.receive.buffer.bytes", Integer.toString(LogClients.SOCKET_BUFFER_BYTES));
    p.put("socket.request.max.bytes", Integer.toString(4 * LogConfig.MAX_VALUE_BYTES));
    p.put("message.max.bytes", Integer.toString(LogConfig.MAX_VALUE_BYTES));

    p.put("auto.create.topics.enable", "false");
    p.put("num.partitions", "1");
    p.put("default.replication.factor", replicas);
    p.put("min.insync.replicas", inSync);
    p.put("offsets.topic.num.partitions", "1");
    p.put("offsets.topic.replication.factor", replicas);
    p.put("share.coordinator.state.topic.num.partitions", "1");
    p.put("share.coordinator.state.topic.replication.factor", replicas);
    p.put("transaction.state.log.num.partitions", "1");
    p.put("transaction.state.log.replication.factor", replicas);
    p.put("transaction.state.log.min.isr", inSync);
    p.put("share.coordinator.state.topic.min.isr", inSync);
    p.put("group.coordinator.threads", "1");
    p.put("group.initial.rebalance.delay.ms", "0");

    p.put("broker.session.timeout.ms", Long.toString(SESSION.toMillis()));
    p.put("broker.heartbeat.interval.ms", Long.toString(HEARTBEAT.toMillis()));
    // After a clean shutdown, a broker may restart at once without being rejected as a duplicate
    // id.
    p.put("controlled.shutdown.enable", Boolean.toString(all.size() == 1));
    p.put("server.max.startup.time.ms", Long.toString(LONGEST_START.toMillis()));
    p.put("log.retention.check.interval.ms", "30000");
    p.put("log.segment.delete.delay.ms", "1000");
    p.put("metadata.log.segment.bytes", Integer.toString(16 << 20));
    p.put("metadata.log.max.record.bytes.between.snapshots", Integer.toString(4 << 20));
    return p;
  }

  /** Formats the directory; Kafka writes the marker last, so an interrupted format is repeated. */
  static void format(Path directory, int node, String clusterId) throws Exception {
    if (Files.exists(directory.resolve(FORMATTED))) {
      return;
    }
    Files.createDirectories(directory);
    try (PrintStream quiet =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
      new Formatter()
          .setPrintStream(quiet)
          .setClusterId(clusterId)
          .setNodeId(node)
          .setControllerListenerName("CONTROLLER")
          .addDirectory(directory.toString())
          .setMetadataLogDirectory(directory.toString())
          .run();
    }
  }
}
