package io.millrace.engine.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

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
        BrokerSettings.format(directory, 1, Uuid.randomUuid().toString());
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

  /** One small node that is its own controller: nothing replicated. */
  private Map<String, String> properties(int port, int controllerPort) {
    BrokerNode node = new BrokerNode(1, HOST, port, controllerPort);
    return BrokerSettings.of(node, List.of(node), directory);
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
