package io.millrace.server.ingest;

import io.millrace.server.api.Listener;
import io.millrace.server.api.Pace;
import io.millrace.server.api.SenderBounds;
import io.millrace.server.collect.ArrivalClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.core.WebSocketComponents;
import org.eclipse.jetty.websocket.core.server.WebSocketMappings;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes records of gateways over HTTP and WebSocket, and acknowledges them when the log has them.
 *
 * <p>A listener of its own beside the API's: gateways come from outside, in great number, with
 * tokens that let them send and nothing else, and however many there are they take no thread and no
 * connection from those who ask.
 *
 * <p>Made without effect, started once, closed once.
 */
public final class IngestServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IngestServer.class);
  private static final int LEAST_THREADS = 8;
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);
  private static final Duration ANSWER_PATIENCE = Duration.ofSeconds(1);
  private static final long SAVE_INTERVAL_SECONDS = 5;
  private static final int INPUT_BUFFER_BYTES = 16 << 10;

  private final IngestConfig config;
  private final ValueLog log;
  private final LogEnd end;
  private final Path file;
  private final IngestCounts counts = new IngestCounts();
  private final Server server;
  private final Listener listener;
  private final ServerConnector connector;
  private FrameMemory memory;
  private Lanes lanes;
  private GatewaySockets sockets;
  private Thread saver;
  private final CountDownLatch closing = new CountDownLatch(1);

  /**
   * A server that is not started yet.
   *
   * @param file where it is kept which frames of clients are in the log
   */
  public IngestServer(
      IngestConfig config, ValueLog log, String bootstrapServers, String topic, Path file) {
    this(config, log, LogEnd.of(bootstrapServers, topic), file);
  }

  /** As above, with another way to read the log. */
  IngestServer(IngestConfig config, ValueLog log, LogEnd end, Path file) {
    this.config = config;
    this.log = log;
    this.end = end;
    this.file = file.toAbsolutePath();
    int threads = Math.max(LEAST_THREADS, 2 * Runtime.getRuntime().availableProcessors() + 2);
    QueuedThreadPool pool = new QueuedThreadPool(threads, threads);
    pool.setName("ingest");
    pool.setDaemon(true);
    server = new Server(pool);
    listener =
        new Listener(
            server, config.listen().getAddress().getHostAddress(), config.listen().getPort());
    listener.http().setUseInputDirectByteBuffers(false); // decoded where they are, as arrays
    connector = listener.connector();
    connector
        .getConnectionFactory(HttpConnectionFactory.class)
        .setInputBufferSize(INPUT_BUFFER_BYTES);
    connector.setIdleTimeout(config.idleTimeout().toMillis());
    connector.setAcceptQueueSize(1_024);
    listener.bound(
        new SenderBounds(
            config.maxConnections(),
            config.maxConnectionsEach(),
            "ingest.max-connections-each",
            config.idleTimeout(),
            new Pace.Terms(Ingest.LEAST_RATE, config.idleTimeout())),
        sender -> counts.refuse(IngestRefusal.CONNECTIONS, sender),
        sender -> counts.refuse(IngestRefusal.SLOW, sender));
  }

  /**
   * Takes requests for further names than the address, this machine's and those of the certificate;
   * called before the start.
   *
   * @param hosts names and addresses under which a proxy passes requests on
   */
  public void admit(List<String> hosts) {
    listener.admit(hosts);
  }

  /**
   * Learns from the log what clients have sent, and listens.
   *
   * @throws IOException if the address cannot be bound, a file cannot be read, or the log does not
   *     tell its end; says which
   */
  public void start() throws IOException {
    IngestTokens tokens = IngestTokens.read(config);
    if (config.tlsCertificate() != null) {
      listener.encrypt(config.tlsCertificate(), config.tlsKey());
    } else if (!config.listen().getAddress().isLoopbackAddress()) {
      LOG.warn("tokens cross the network in clear; set ingest.tls-certificate and ingest.tls-key");
    }
    memory = new FrameMemory(log.partitions(), config.maxClients());
    memory.restore(file, end, ArrivalClock.SYSTEM.micros());
    lanes = new Lanes(log, memory, end, config, counts, server.getThreadPool());
    sockets = new GatewaySockets(config.idleTimeout());
    RateLimit rate = new RateLimit(config.maxRate(), System::nanoTime);
    WebSocketComponents components = WebSocketServerComponents.ensureWebSocketComponents(server);
    server.setHandler(
        new GatewayHandler(
            new Ingest(config, lanes, memory, tokens, rate, counts),
            new WebSocketMappings(components),
            sockets));
    lanes.start();
    listener.start("ingest.listen");
    saver = new Thread(this::save, "gateway-frames");
    saver.setDaemon(true);
    saver.start();
  }

  private void save() {
    try {
      while (!closing.await(SAVE_INTERVAL_SECONDS, TimeUnit.SECONDS)) {
        saveNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void saveNow() {
    try {
      memory.forgetSilent(System.nanoTime());
      memory.save(file, lanes.nextOffsets());
    } catch (IOException e) {
      LOG.warn("cannot keep which frames of clients are in the log: {}", e.toString());
    }
  }

  /** The address that is bound, with its scheme. */
  public String url() {
    return listener.url();
  }

  /** The port that is bound. */
  public int port() {
    return listener.port();
  }

  /** What came in. */
  public IngestCounts counts() {
    return counts;
  }

  /** What senders were refused most of late, one line each with what to do. */
  public List<String> refusals() {
    return counts.refused();
  }

  /** Bytes that wait for the log. */
  public long waitingBytes() {
    return lanes.waitingBytes();
  }

  /** Connections now, of both protocols. */
  public int connections() {
    return connector.getConnectedEndPoints().size();
  }

  /** Senders that have connections. */
  int senders() {
    return listener.senders();
  }

  /** Clients whose frames are remembered. */
  public int clients() {
    return memory.size();
  }

  /** Where it listens, as text. */
  public InetSocketAddress address() {
    return new InetSocketAddress(config.listen().getAddress(), port());
  }

  /** What the log has is being told, or has been: that takes a moment. */
  private void awaitAnswers() {
    long deadline = System.nanoTime() + ANSWER_PATIENCE.toNanos();
    while (counts.openRequests() > 0 && System.nanoTime() < deadline) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /**
   * Takes no more, and ends when all that was taken is in the log and told, at most five seconds
   * later.
   */
  @Override
  public void close() {
    closing.countDown();
    try {
      if (sockets != null) {
        var unused = connector.shutdown();
        long deadline = System.nanoTime() + CLOSE_PATIENCE.toNanos();
        sockets.drain(CLOSE_PATIENCE);
        var isEmpty = lanes.drain(Duration.ofNanos(deadline - System.nanoTime()));
        if (!isEmpty) {
          LOG.warn("the log did not take all that waited; it was not acknowledged");
        }
        lanes.close();
        awaitAnswers();
        saveNow();
        sockets.close();
      }
      server.stop();
      if (saver != null) {
        saver.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      LOG.warn("the ingest server did not stop cleanly: {}", e.toString());
    }
  }
}
