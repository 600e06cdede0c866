package io.millrace.server.flight;

import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.millrace.server.access.AccessToken;
import io.millrace.server.access.PemFiles;
import io.millrace.server.api.AnswersConfig;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.api.OpenAnswers;
import io.millrace.server.metrics.Latencies;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.KeyManagerFactory;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.RootAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Arrow Flight SQL beside HTTP: listens for JDBC, ADBC, and what is built upon them.
 *
 * <p>It starts beside everything else, in a thread of its own, since loading the transport takes a
 * while and nothing waits for it. So a port that is taken does not end the process: {@link
 * #problem} tells it. Thread-safe.
 */
public final class FlightListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FlightListener.class);
  private static final int MAX_MESSAGE_BYTES = 16 << 20;
  private static final int QUEUED_BYTES = 1 << 20;
  private static final int MAX_CALLS = 256;
  private static final long STOP_MILLIS = 2_000;

  private final FlightConfig config;
  private final HttpConfig http;
  private final Store store;
  private final StoreConfig limits;
  private final Latencies latencies;
  private final OpenAnswers answers;
  private final Thread starter = new Thread(this::listen, "flight-start");
  private ExecutorService threads;
  private ScheduledThreadPoolExecutor timer;
  private RootAllocator memory;
  private QueryStreams streams;
  private FlightCalls calls;
  private FlightSockets sockets;
  private volatile FlightServer server;
  private volatile String problem;

  /**
   * A listener that is not open yet.
   *
   * @param http whose token, certificate and bounds of clients hold here too
   * @param latencies where queries are counted
   */
  FlightListener(
      FlightConfig config, HttpConfig http, Store store, StoreConfig limits, Latencies latencies) {
    this(
        config,
        http,
        store,
        limits,
        latencies,
        new OpenAnswers(http.answers().max(), http.answers().maxEach()));
  }

  /** The same, where clients are answered through other listeners too. */
  public FlightListener(
      FlightConfig config,
      HttpConfig http,
      Store store,
      StoreConfig limits,
      Latencies latencies,
      OpenAnswers answers) {
    this.answers = answers;
    this.config = config;
    this.http = http;
    this.store = store;
    this.limits = limits;
    this.latencies = latencies;
    starter.setDaemon(true);
  }

  /** Begins to open it, and returns at once. */
  public void start() {
    starter.start();
  }

  /** Waits until it is open, or cannot be; for tests. */
  void awaitStart() throws InterruptedException {
    starter.join();
  }

  private void listen() {
    try {
      threads = Executors.newCachedThreadPool(FlightListener::thread);
      timer =
          new ScheduledThreadPoolExecutor(
              1, FlightListener::thread, new ThreadPoolExecutor.DiscardPolicy());
      timer.setRemoveOnCancelPolicy(true);
      memory = new RootAllocator(config.memoryBytes());
      streams =
          new QueryStreams(
              store,
              limits,
              config.maxQueries(),
              memory,
              threads,
              latencies,
              answers,
              http.answers());
      AccessToken token = http.requiredToken().orElse(null);
      SslContext tls = tls();
      calls = new FlightCalls(timer, timeToTakeTheRest(), answers, http.answers());
      sockets = new FlightSockets(http.connections(), answers);
      Consumer<NettyServerBuilder> transport =
          builder -> {
            builder.channelFactory(sockets::listener);
            builder.bossEventLoopGroup(sockets.threads());
            builder.workerEventLoopGroup(sockets.threads());
            builder.maxConcurrentCallsPerConnection(MAX_CALLS);
            builder.intercept(calls);
            builder.addStreamTracerFactory(calls);
            if (tls != null) {
              builder.sslContext(tls);
            }
          };
      server =
          FlightServer.builder(
                  memory,
                  Location.forGrpcInsecure(config.address(), config.port()),
                  new SqlProducer(streams, limits, config.maxQueries(), memory))
              .executor(threads)
              .headerAuthenticator(new FlightAccess(token))
              .maxInboundMessageSize(MAX_MESSAGE_BYTES)
              .backpressureThreshold(QUEUED_BYTES)
              .transportHint("grpc.builderConsumer", transport)
              .build()
              .start();
    } catch (IOException | GeneralSecurityException | RuntimeException | LinkageError e) {
      problem =
          "Flight SQL does not listen on "
              + config.address()
              + ":"
              + config.port()
              + " (flight.port): "
              + rootMessage(e);
      LOG.warn(problem);
    }
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "flight");
    thread.setDaemon(true);
    return thread;
  }

  /** What the transport holds when a call is over, at the least rate. */
  private Duration timeToTakeTheRest() {
    AnswersConfig paces = http.answers();
    return paces.patience().plusMillis(1_000L * QUEUED_BYTES / paces.leastRateBytes());
  }

  /** As over HTTP; null for none. */
  private SslContext tls() throws IOException, GeneralSecurityException {
    if (http.tlsCertificate() == null) {
      return null;
    }
    char[] password = UUID.randomUUID().toString().toCharArray(); // it never leaves this process
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(PemFiles.identity(http.tlsCertificate(), http.tlsKey(), password), password);
    return GrpcSslContexts.configure(SslContextBuilder.forServer(keys)).build();
  }

  private static String rootMessage(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage();
  }

  /** Where it listens: {@code grpc://} or, with TLS, {@code grpc+tls://}; empty before it does. */
  public Optional<String> url() {
    if (server == null) {
      return Optional.empty();
    }
    String host = config.address().equals("0.0.0.0") ? "127.0.0.1" : config.address();
    String scheme = http.tlsCertificate() == null ? "grpc://" : "grpc+tls://";
    return Optional.of(
        scheme + (host.contains(":") ? "[" + host + "]" : host) + ":" + server.getPort());
  }

  /** The port that was bound; 0 before. */
  int port() {
    return server == null ? 0 : server.getPort();
  }

  /** Queries whose rows are not all sent. */
  int openQueries() {
    return streams.open();
  }

  /** Those of them that wait for their client. */
  int waitingQueries() {
    return streams.waiting();
  }

  /** Answers that are over for us, and that their client has not taken. */
  int untakenAnswers() {
    return calls.untaken();
  }

  /** Memory that rows on their way take now. */
  long usedBytes() {
    return memory.getAllocatedMemory();
  }

  /** The most that it was. */
  long peakBytes() {
    return memory.getPeakMemoryAllocation();
  }

  /** Why it does not listen. */
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  /** Ends running queries and closes connections. */
  @Override
  public synchronized void close() {
    try {
      starter.join();
      if (threads == null) {
        return;
      }
      streams.cancelAll();
      if (server != null) {
        server.close();
      }
      if (sockets != null) {
        sockets.close();
      }
      timer.shutdownNow();
      threads.shutdown();
      if (!threads.awaitTermination(STOP_MILLIS, TimeUnit.MILLISECONDS)) {
        LOG.warn("a query over Flight SQL has not ended");
        return; // it still uses its memory, which must not be freed
      }
      memory.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException e) {
      LOG.warn("Flight SQL did not stop cleanly: {}", e.toString());
    }
  }
}
