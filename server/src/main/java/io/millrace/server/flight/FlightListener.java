package io.millrace.server.flight;

import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.millrace.server.access.AccessToken;
import io.millrace.server.access.ServerIdentity;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.api.QueryAdmission;
import io.millrace.server.api.TransfersConfig;
import io.millrace.server.metrics.Latencies;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.RootAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Arrow Flight SQL server for JDBC, ADBC and tools that use them.
 *
 * <p>Starts on its own thread, because loading the transport takes a while and nothing depends on
 * it. So a port that is in use does not stop the process, but is reported by {@link #problem}.
 * Thread-safe.
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
  private final QueryAdmission admission;
  private final Thread starter = new Thread(this::listen, "flight-start");
  private ExecutorService threads;
  private ScheduledThreadPoolExecutor timer;
  private RootAllocator memory;
  private QueryStreams streams;
  private FlightCalls calls;
  private FlightSockets sockets;
  private volatile FlightServer server;
  private volatile String problem;

  FlightListener(
      FlightConfig config, HttpConfig http, Store store, StoreConfig limits, Latencies latencies) {
    this(
        config,
        http,
        store,
        limits,
        latencies,
        new QueryAdmission(http.queries().max(), http.queries().maxPerClient()));
  }

  /** Creates a listener that shares the limits per client with other listeners. */
  public FlightListener(
      FlightConfig config,
      HttpConfig http,
      Store store,
      StoreConfig limits,
      Latencies latencies,
      QueryAdmission admission) {
    this.admission = admission;
    this.config = config;
    this.http = http;
    this.store = store;
    this.limits = limits;
    this.latencies = latencies;
    starter.setDaemon(true);
  }

  /** Starts asynchronously. */
  public void start() {
    starter.start();
  }

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
              admission,
              http.transfers());
      AccessToken token = http.requiredToken().orElse(null);
      SslContext tls = tls();
      calls = new FlightCalls(timer, timeToReadTheRest(), admission, http.queries());
      sockets = new FlightSockets(http.connections(), admission);
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
          "Flight SQL cannot listen on "
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

  private Duration timeToReadTheRest() {
    TransfersConfig transfers = http.transfers();
    return transfers.rateInterval().plusMillis(1_000L * QUEUED_BYTES / transfers.minRateBytes());
  }

  private SslContext tls() throws IOException, GeneralSecurityException {
    if (http.tlsCertificate() == null) {
      return null;
    }
    ServerIdentity identity = new ServerIdentity(http.tlsCertificate(), http.tlsKey());
    return GrpcSslContexts.configure(SslContextBuilder.forServer(identity)).build();
  }

  private static String rootMessage(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage();
  }

  /** The URL, {@code grpc://} or, with TLS, {@code grpc+tls://}; empty before it listens. */
  public Optional<String> url() {
    if (server == null) {
      return Optional.empty();
    }
    String host = config.address().equals("0.0.0.0") ? "127.0.0.1" : config.address();
    String scheme = http.tlsCertificate() == null ? "grpc://" : "grpc+tls://";
    return Optional.of(
        scheme + (host.contains(":") ? "[" + host + "]" : host) + ":" + server.getPort());
  }

  /** Bound port; 0 before it listens. */
  int port() {
    return server == null ? 0 : server.getPort();
  }

  int openQueries() {
    return streams.open();
  }

  int waitingQueries() {
    return streams.waiting();
  }

  int unreadResponses() {
    return calls.unread();
  }

  long usedBytes() {
    return memory.getAllocatedMemory();
  }

  long peakBytes() {
    return memory.getPeakMemoryAllocation();
  }

  /** Why it cannot listen; empty if it can, or starts. */
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  /** Aborts running queries and closes connections. */
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
        LOG.warn("a Flight SQL query has not ended");
        return; // the query still uses the memory, which must not be freed
      }
      memory.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException e) {
      LOG.warn("Flight SQL server failed to stop cleanly: {}", e.toString());
    }
  }
}
