package io.millrace.engine.log;

import io.millrace.pulse.Pulse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.Exit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka broker inside this JVM: one KRaft node that is its own controller, on loopback only, with
 * its data in one directory.
 *
 * <p>Kafka writes to the page cache and lets the kernel flush it, so a killed process loses nothing
 * that was acknowledged; a power failure may lose the last seconds. Kafka's lock file keeps a
 * second process from using the directory.
 *
 * <p>A broker that cannot write to its disk would halt the whole JVM. Here only the broker stops,
 * and is restarted on the same port as soon as its directory is writable; clients reconnect by
 * themselves.
 */
public final class EmbeddedLog implements LogCluster {
  private static final String HOST = "127.0.0.1";

  /** Another process may take the free port before Kafka binds it. */
  private static final int PORT_ATTEMPTS = 3;

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedLog.class);

  private static final long POLL_MILLIS = 1_000;
  private static final long LONGEST_STOP_MILLIS = 20_000;

  private static final int PROBE_BYTES = 4 << 20;

  /** All brokers of this process: Kafka's call to halt does not say which broker failed. */
  private static final Set<EmbeddedLog> RUNNING = ConcurrentHashMap.newKeySet();

  private final LogConfig config;
  private final Path directory;
  private volatile String name; // of the directory, as passed to the broker
  private KafkaRaftServer server;
  private int port;
  private int controllerPort;
  private volatile boolean isClosed;
  private Thread healer;

  /** Creates a broker with its data in {@code directory}, which {@link #start} creates. */
  public EmbeddedLog(LogConfig config, Path directory) {
    this.config = config;
    this.directory = directory.toAbsolutePath();
  }

  @Override
  public void start() {
    if (server != null) {
      throw new IllegalStateException("the embedded log is already started");
    }
    for (int attempt = 1; ; attempt++) {
      try {
        Files.createDirectories(directory);
        choosePorts();
        Exit.setHaltProcedure(EmbeddedLog::halted);
        Exit.setExitProcedure(EmbeddedLog::halted);
        startBroker();
        RUNNING.add(this);
        return;
      } catch (Exception e) {
        stop();
        if (config.port() != 0 || attempt == PORT_ATTEMPTS || !isBindFailure(e)) {
          throw new LogException(
              "cannot start the embedded Kafka broker in "
                  + directory
                  + ": "
                  + reason(e)
                  + (isBindFailure(e) ? "; choose another log.port" : remedy(directory)),
              e);
        }
      }
    }
  }

  private void startBroker() throws Exception {
    KafkaConfig broker = new KafkaConfig(properties(), false);
    BrokerSettings.format(directory, 1, Uuid.randomUuid().toString());
    server = new KafkaRaftServer(broker, Time.SYSTEM);
    server.startup();
  }

  /** Advice for the user if files of the log are damaged. */
  private static String remedy(Path directory) {
    return "; if the disk is healthy, files there are damaged: move the directory "
        + directory
        + " away and start again; stored rows are kept, received data not yet stored is lost";
  }

  /**
   * Advice for the user if the address is that of a failed embedded log; empty for any other Kafka.
   */
  static String remedy(String bootstrapServers) {
    for (EmbeddedLog log : RUNNING) {
      synchronized (log) {
        if (log.healer != null && log.bootstrapServers().equals(bootstrapServers)) {
          return "; the embedded log has failed" + remedy(log.directory);
        }
      }
    }
    return "";
  }

  /** Called by a thread of the failed broker instead of exiting the process. */
  private static void halted(int status, String message) {
    for (EmbeddedLog log : RUNNING) {
      if (message == null || message.contains(log.name) || RUNNING.size() == 1) {
        log.heal(message == null ? "disk write failed (status " + status + ")" : message);
      }
    }
  }

  private synchronized void heal(String message) {
    if (isClosed || healer != null) {
      return;
    }
    LOG.warn(
        "the embedded log has failed: {}; it restarts as soon as {} is writable",
        message,
        directory);
    healer = Pulse.thread("log-healer", Duration.ZERO, pulse -> startAgain());
    healer.start();
  }

  private void startAgain() {
    stop();
    while (!isClosed) {
      try {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        probe();
        synchronized (this) {
          if (!isClosed) {
            startBroker();
            healer = null;
            LOG.warn("the embedded log is running again");
          }
          return;
        }
      } catch (InterruptedException e) {
        return; // closed
      } catch (Exception e) {
        LOG.debug("the embedded log cannot be started yet", e);
        stop();
      }
    }
  }

  private void probe() throws IOException {
    Path file = directory.resolve("probe.tmp");
    try {
      Files.write(file, new byte[PROBE_BYTES]);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** A broker without a disk may never finish its shutdown: the wait is bounded. */
  private void stop() {
    KafkaRaftServer broken = server;
    if (broken == null) {
      return;
    }
    server = null;
    FutureTask<Void> stop =
        new FutureTask<>(
            () -> {
              broken.shutdown();
              broken.awaitShutdown();
            },
            null);
    Thread stopping = new Thread(stop, "log-stop");
    stopping.setDaemon(true);
    stopping.start();
    try {
      stop.get(LONGEST_STOP_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("the broker has not stopped", e);
    }
  }

  private static String reason(Exception e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root == e ? String.valueOf(e.getMessage()) : e.getMessage() + ": " + root.getMessage();
  }

  private static boolean isBindFailure(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof java.net.BindException) {
        return true;
      }
    }
    return false;
  }

  /**
   * Keeps the first port bound until the second is chosen, since a released port may be assigned
   * again.
   */
  private void choosePorts() throws IOException {
    try (ServerSocket one = freeSocket();
        ServerSocket other = freeSocket()) {
      port = config.port() == 0 ? one.getLocalPort() : config.port();
      controllerPort = other.getLocalPort() == port ? one.getLocalPort() : other.getLocalPort();
    }
  }

  private static ServerSocket freeSocket() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  private Map<String, String> properties() throws IOException {
    BrokerNode node = new BrokerNode(1, HOST, port, controllerPort);
    Map<String, String> properties = BrokerSettings.of(node, List.of(node));
    name = ListedDirectory.name(directory);
    properties.put(BrokerSettings.DATA, name);
    return properties;
  }

  @Override
  public String bootstrapServers() {
    return HOST + ":" + port;
  }

  /** Disk usage of the log, in bytes. */
  public long diskBytes() {
    try (var files = Files.walk(directory)) {
      return files.mapToLong(EmbeddedLog::sizeOf).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Tolerates files that appear or vanish while the broker runs. */
  private static long sizeOf(Path file) {
    try {
      return Files.isRegularFile(file) ? Files.size(file) : 0;
    } catch (IOException gone) {
      return 0;
    }
  }

  @Override
  public void close() {
    RUNNING.remove(this);
    Thread healing;
    synchronized (this) {
      isClosed = true;
      healing = healer;
    }
    if (healing != null) {
      healing.interrupt();
    }
    stop();
  }
}
