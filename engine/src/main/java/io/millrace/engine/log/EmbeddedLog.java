package io.millrace.engine.log;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/**
 * A Kafka broker inside this JVM: one node in KRaft mode that is its own controller, on loopback
 * only, with its data under one directory.
 *
 * <p>Kafka writes to the page cache and lets the kernel write to the disk, so a process that is
 * killed loses nothing that was acknowledged; a machine that loses power may lose the last seconds.
 * A second process on the same directory is refused by Kafka's lock file.
 */
public final class EmbeddedLog implements LogCluster {
  private static final String HOST = "127.0.0.1";
  private static final String FORMATTED = "meta.properties";

  /** Another process may take a free port between our finding it and Kafka's binding it. */
  private static final int PORT_ATTEMPTS = 3;

  private final LogConfig config;
  private final Path directory;
  private KafkaRaftServer server;
  private int port;

  /** A broker with its data in {@code directory}, which is made by {@link #start}. */
  public EmbeddedLog(LogConfig config, Path directory) {
    this.config = config;
    this.directory = directory.toAbsolutePath();
  }

  @Override
  public void start() {
    if (server != null) {
      throw new IllegalStateException("the embedded log is started already");
    }
    for (int attempt = 1; ; attempt++) {
      try {
        Files.createDirectories(directory);
        port = config.port() == 0 ? freePort() : config.port();
        KafkaConfig broker = new KafkaConfig(properties(port, freePort()), false);
        format();
        server = new KafkaRaftServer(broker, Time.SYSTEM);
        server.startup();
        return;
      } catch (Exception e) {
        close();
        if (config.port() != 0 || attempt == PORT_ATTEMPTS || !isBindFailure(e)) {
          throw new LogException(
              "the embedded Kafka broker does not start in " + directory + ": " + e.getMessage(),
              e);
        }
      }
    }
  }

  private static boolean isBindFailure(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof java.net.BindException) {
        return true;
      }
    }
    return false;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Kafka writes the marker file last, so half a format is formatted again. */
  private void format() throws Exception {
    if (Files.exists(directory.resolve(FORMATTED))) {
      return;
    }
    try (PrintStream quiet =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
      new Formatter()
          .setPrintStream(quiet)
          .setClusterId(Uuid.randomUuid().toString())
          .setNodeId(1)
          .setControllerListenerName("CONTROLLER")
          .addDirectory(directory.toString())
          .setMetadataLogDirectory(directory.toString())
          .run();
    }
  }

  /** One small node: few threads, little memory, nothing replicated, nothing waited for. */
  private Map<String, String> properties(int port, int controllerPort) {
    Map<String, String> p = new HashMap<>();
    p.put("process.roles", "broker,controller");
    p.put("node.id", "1");
    p.put(
        "listeners", "LOG://" + HOST + ":" + port + ",CONTROLLER://" + HOST + ":" + controllerPort);
    p.put("advertised.listeners", "LOG://" + HOST + ":" + port);
    p.put("listener.security.protocol.map", "LOG:PLAINTEXT,CONTROLLER:PLAINTEXT");
    p.put("inter.broker.listener.name", "LOG");
    p.put("controller.listener.names", "CONTROLLER");
    p.put("controller.quorum.voters", "1@" + HOST + ":" + controllerPort);
    p.put("log.dirs", directory.toString());

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
    p.put("default.replication.factor", "1");
    p.put("offsets.topic.num.partitions", "1");
    p.put("offsets.topic.replication.factor", "1");
    p.put("share.coordinator.state.topic.num.partitions", "1");
    p.put("share.coordinator.state.topic.replication.factor", "1");
    p.put("transaction.state.log.num.partitions", "1");
    p.put("transaction.state.log.replication.factor", "1");
    p.put("transaction.state.log.min.isr", "1");
    p.put("share.coordinator.state.topic.min.isr", "1");
    p.put("group.coordinator.threads", "1");
    p.put("group.initial.rebalance.delay.ms", "0");

    p.put("controlled.shutdown.enable", "false");
    p.put("log.retention.check.interval.ms", "30000");
    p.put("log.segment.delete.delay.ms", "1000");
    p.put("metadata.log.segment.bytes", Integer.toString(16 << 20));
    p.put("metadata.log.max.record.bytes.between.snapshots", Integer.toString(4 << 20));
    return p;
  }

  @Override
  public String bootstrapServers() {
    return HOST + ":" + port;
  }

  /** Bytes that the log takes on disk. */
  public long diskBytes() {
    try (var files = Files.walk(directory)) {
      return files.mapToLong(EmbeddedLog::sizeOf).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Files come and go under a running broker. */
  private static long sizeOf(Path file) {
    try {
      return Files.isRegularFile(file) ? Files.size(file) : 0;
    } catch (IOException gone) {
      return 0;
    }
  }

  @Override
  public void close() {
    if (server != null) {
      server.shutdown();
      server.awaitShutdown();
      server = null;
    }
  }
}
