package io.millrace.server.ingest;

import io.millrace.engine.log.LogAppender;
import io.millrace.pulse.Pulse;
import io.millrace.server.api.Listener;
import io.millrace.server.api.Pace;
import io.millrace.server.api.SenderBounds;
import io.millrace.wire.record.RecordSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
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
 * Receives records of declared streams over HTTP and WebSocket, and acknowledges them when they are
 * in the log.
 *
 * <p>It is separate from the listener of the API: senders are numerous and external, have tokens
 * only for sending, and must not take threads or connections from API clients.
 *
 * <p>Start once, close once.
 */
public final class IngestServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IngestServer.class);
  private static final int MIN_THREADS = 8;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(1);
  private static final long SAVE_INTERVAL_SECONDS = 5;
  private static final int INPUT_BUFFER_BYTES = 16 << 10;

  private final IngestConfig config;
  private final IngestCounts counts = new IngestCounts("ingest");
  private final Map<String, Intake> streams = new LinkedHashMap<>();
  private final IngestMemory room;
  private final Server server;
  private final Listener listener;
  private final ServerConnector connector;
  private RecordSockets sockets;
  private Thread saver;
  private final CountDownLatch closing = new CountDownLatch(1);

  /** Creates a server without streams, and without starting it. */
  public IngestServer(IngestConfig config) {
    this.config = config;
    room = new IngestMemory(config);
    int threads = Math.max(MIN_THREADS, 2 * Runtime.getRuntime().availableProcessors() + 2);
    QueuedThreadPool pool = new QueuedThreadPool(threads, threads);
    pool.setName("ingest");
    pool.setDaemon(true);
    server = new Server(pool);
    listener =
        new Listener(
            server, config.listen().getAddress().getHostAddress(), config.listen().getPort());
    listener.http().setUseInputDirectByteBuffers(false); // decoded in place, as arrays
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
            new Pace.Terms(Ingest.MIN_RATE, config.idleTimeout())),
        sender -> counts.reject(IngestRejection.CONNECTIONS, sender),
        sender -> counts.reject(IngestRejection.SLOW, sender));
  }

  /**
   * Adds a stream; call before the start.
   *
   * @param file file of the numbers of logged frames by client
   */
  public void addStream(
      RecordSchema schema, LogAppender log, String bootstrapServers, String topic, Path file) {
    addStream(schema, log, LogEnd.of(bootstrapServers, topic), file);
  }

  void addStream(RecordSchema schema, LogAppender log, LogEnd end, Path file) {
    Intake intake = new Intake(new RecordFormat(schema), log, end, file);
    if (streams.put(schema.name(), intake) != null) {
      throw new IllegalArgumentException("two pipelines declare the stream " + schema.name());
    }
  }

  /**
   * Accepts further host names than the address, this machine's and the certificate's; call before
   * the start.
   *
   * @param hosts names and addresses used by a proxy
   */
  public void acceptHosts(List<String> hosts) {
    listener.acceptHosts(hosts);
  }

  /**
   * Restores the frame numbers of clients from the log, and listens.
   *
   * @throws IOException if the address cannot be bound, a file cannot be read, or the end of the
   *     log is unknown
   */
  public void start() throws IOException {
    IngestTokens tokens = IngestTokens.read(config);
    if (config.tlsCertificate() != null) {
      listener.enableTls(config.tlsCertificate(), config.tlsKey());
    } else if (!config.listen().getAddress().isLoopbackAddress()) {
      LOG.warn("tokens are sent in plaintext; set ingest.tls-certificate and ingest.tls-key");
    }
    RateLimit rate = new RateLimit(config.maxRate(), System::nanoTime);
    for (Intake intake : streams.values()) {
      intake.prepare(config, room, server.getThreadPool());
    }
    sockets = new RecordSockets(config.idleTimeout());
    Map<String, IngestHandler.Stream> declared = new HashMap<>();
    streams.forEach(
        (name, stream) ->
            declared.put(
                name,
                new IngestHandler.Stream(
                    stream.ingest(config, tokens, rate), stream.format().schema().avro())));
    WebSocketComponents components = WebSocketServerComponents.ensureWebSocketComponents(server);
    server.setHandler(
        new IngestHandler(
            tokens,
            counts,
            declared,
            StreamDescription.of(
                streams.values().stream().map(each -> each.format().schema()).toList()),
            new WebSocketMappings(components),
            sockets));
    streams.values().forEach(Intake::start);
    listener.start("ingest.listen");
    saver = Pulse.thread("ingest-frames", Duration.ZERO, pulse -> save());
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
    streams.values().forEach(Intake::save);
  }

  /** URL with the bound address. */
  public String url() {
    return listener.url();
  }

  /** Bound port. */
  public int port() {
    return listener.port();
  }

  /** Counters of connections, and of requests without a valid stream. */
  public IngestCounts counts() {
    return counts;
  }

  /** Counters by declared stream. */
  public Map<String, IngestCounts> streamCounts() {
    Map<String, IngestCounts> all = new LinkedHashMap<>();
    streams.forEach((name, stream) -> all.put(name, stream.counts()));
    return all;
  }

  /** The most frequent recent rejections, a line each, with a remedy. */
  public List<String> recentRejections() {
    return Stream.concat(Stream.of(counts), streams.values().stream().map(Intake::counts))
        .flatMap(each -> each.recentRejections().stream())
        .toList();
  }

  /** Bytes of unacknowledged records. */
  public long waitingBytes() {
    return room.waitingBytes();
  }

  /** Number of open connections of both protocols. */
  public int connections() {
    return connector.getConnectedEndPoints().size();
  }

  int senders() {
    return listener.senders();
  }

  int clients() {
    return streams.values().stream().mapToInt(Intake::clients).sum();
  }

  private void awaitResponses() {
    long deadline = System.nanoTime() + RESPONSE_TIMEOUT.toNanos();
    while (streams.values().stream().anyMatch(each -> each.counts().openRequests() > 0)
        && System.nanoTime() < deadline) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /**
   * Stops reading, and waits at most five seconds until all received records are logged and
   * acknowledged.
   */
  @Override
  public void close() {
    closing.countDown();
    try {
      if (sockets != null) {
        var unused = connector.shutdown();
        long deadline = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        sockets.drain(CLOSE_TIMEOUT);
        boolean isEmpty = true;
        for (Intake intake : streams.values()) {
          isEmpty &= intake.lanes().drain(Duration.ofNanos(deadline - System.nanoTime()));
        }
        if (!isEmpty) {
          LOG.warn("the log did not accept all buffered records; they were not acknowledged");
        }
        streams.values().forEach(intake -> intake.lanes().close());
        awaitResponses();
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
      LOG.warn("ingest server failed to stop cleanly: {}", e.toString());
    }
  }
}
