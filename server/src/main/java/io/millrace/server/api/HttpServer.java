package io.millrace.server.api;

import static io.millrace.server.api.Listener.socket;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.millrace.pipelines.Pipeline;
import io.millrace.server.access.AccessToken;
import io.millrace.store.QueryException;
import io.millrace.store.StoreException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP listener: dispatches requests to endpoints by method and path, and serves the console's
 * files at other paths.
 *
 * <p>Errors are JSON: {@code {"error": {"message": …, "position": …}}}.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

  /** Base path of the catalog with Iceberg's REST protocol, whose errors have kinds. */
  public static final String ICEBERG = "/api/v1/iceberg";

  private static final String HEALTH = "/health";

  /** Paths that are served even if all other threads are busy. */
  private static final Set<String> VITAL =
      Set.of("/api/v1/status", "/api/v1/health", HEALTH, "/metrics");

  /**
   * Send buffer of a socket. The kernel reports free space when a third was read, which is the
   * resolution of PacedResponse.
   */
  private static final int SEND_BUFFER = 128 << 10;

  private static final int MAX_VITAL = 16;
  private static final int MAX_VITAL_EACH = 8;

  /**
   * Maximum concurrent requests of the catalog. They have threads of their own, because queries of
   * other engines wait for them.
   */
  private static final int MAX_CATALOG = 16;

  /** Threads for accepting, selecting and rejecting. */
  private static final int OTHER_THREADS = 16;

  /** Delay of a rejection, equal to its Retry-After. */
  private static final int REJECTION_DELAY_MILLIS = 1_000;

  private static final int STOP_TIMEOUT_MILLIS = 2_000;
  private static final int LAST_WRITE_MILLIS = 50;
  private static final String UNAUTHORIZED =
      "missing or wrong token; send Authorization: Bearer TOKEN; commands read it from"
          + " --token or MILLRACE_TOKEN";
  private static final String NOT_READY =
      "Millrace is starting; GET /api/v1/status shows the progress; retry in a few seconds";
  private static final HttpField CHALLENGE =
      new HttpField(HttpHeader.WWW_AUTHENTICATE, "Bearer realm=\"millrace\"");

  private static final HttpField CLOSE = new HttpField(HttpHeader.CONNECTION, "close");

  private final HttpConfig config;
  private final Map<String, Endpoint> endpoints = new ConcurrentSkipListMap<>();
  private volatile Endpoint iceberg; // null without a catalog
  private volatile Endpoint files = new FilesEndpoint(List.of());
  private volatile boolean isReady = true;
  private final Server server;
  private final Listener listener;
  private final ServerConnector connector;
  private final Set<EndPoint> running = ConcurrentHashMap.newKeySet(); // serving a request
  private final QueryAdmission admission;
  private final QueryAdmission vital = new QueryAdmission(MAX_VITAL, MAX_VITAL_EACH);
  private final QueryAdmission catalog = new QueryAdmission(MAX_CATALOG, MAX_CATALOG);
  private AccessToken token; // null if none is required

  /** Creates a server without starting it. */
  public HttpServer(HttpConfig config) {
    this.config = config;
    admission = new QueryAdmission(config.queries().max(), config.queries().maxPerClient());
    QueuedThreadPool threads =
        new QueuedThreadPool(config.queries().max() + MAX_VITAL + MAX_CATALOG + OTHER_THREADS, 4);
    threads.setName("http");
    threads.setDaemon(true);
    server = new Server(threads);
    server.setStopTimeout(STOP_TIMEOUT_MILLIS);
    listener = new Listener(server, config.address(), config.port());
    listener.acceptHosts(config.hosts());
    connector = listener.connector();
    connector.setIdleTimeout(config.connections().idleTimeout().toMillis());
    listener.bound(
        new SenderBounds(
            config.connections().max(),
            config.connections().maxPerClient(),
            "http.connections.max-per-client",
            config.connections().idleTimeout(),
            config.transfers().bodyPace()),
        client -> admission.countRejection(ClientRejection.CONNECTIONS, client),
        client -> admission.countRejection(ClientRejection.SLOW_BODY, client));
    connector.setAcceptedSendBufferSize(SEND_BUFFER);
    connector.setShutdownIdleTimeout(
        STOP_TIMEOUT_MILLIS); // the default is shorter than some responses
  }

  /**
   * Responds 503 to paths without a route until {@link #setReady} is called; call before {@link
   * #start}.
   */
  public HttpServer rejectUntilReady() {
    isReady = false;
    return this;
  }

  /** Declares all routes added: unknown paths get 404 from now on. */
  public void setReady() {
    isReady = true;
  }

  /** Adds or replaces the route of a method and an exact path; effective immediately. */
  public HttpServer route(String method, String path, Endpoint endpoint) {
    endpoints.put(method + " " + path, endpoint);
    return this;
  }

  /** Adds an endpoint for all requests below {@link #ICEBERG}. */
  public HttpServer iceberg(Endpoint endpoint) {
    iceberg = endpoint;
    return this;
  }

  /** Adds the pipelines' sections of the console. */
  public HttpServer sections(List<Pipeline> pipelines) {
    files = new FilesEndpoint(pipelines);
    return this;
  }

  /** Admission control of queries, shared with other listeners. */
  public QueryAdmission admission() {
    return admission;
  }

  /** Routes, each as method, blank and path, in the order in which they were added. */
  public Set<String> routes() {
    return Collections.unmodifiableSet(endpoints.keySet());
  }

  /**
   * Binds the listener and serves the routes.
   *
   * @throws IOException if the address cannot be bound, or a token or TLS file cannot be read; the
   *     message names it
   */
  public void start() throws IOException {
    token = config.requiredToken().orElse(null);
    if (config.sendsTokenInPlaintext()) {
      LOG.warn("the token is sent in plaintext; set http.tls-certificate and http.tls-key");
    }
    if (config.tlsCertificate() != null) {
      listener.enableTls(config.tlsCertificate(), config.tlsKey());
    }
    server.setHandler(new Api());
    listener.start("http.port");
  }

  /** URL of the console. */
  public String url() {
    return listener.url();
  }

  int port() {
    return listener.port();
  }

  int senders() {
    return listener.senders();
  }

  /**
   * Stops accepting requests, closes idle connections, and waits up to two seconds for requests in
   * progress.
   */
  @Override
  public void close() {
    try {
      var unused = connector.shutdown();
      for (EndPoint connection : connector.getConnectedEndPoints()) {
        if (!running.contains(connection)) {
          connection.close(); // otherwise stop() waits for its time-out
        }
      }
      server.stop();
    } catch (Exception e) {
      LOG.warn("HTTP server failed to stop cleanly: {}", e.toString());
    }
  }

  private final class Api extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      EndPoint connection = socket(request);
      running.add(connection);
      try {
        return dispatch(request, response, callback);
      } finally {
        running.remove(connection);
        if (connector.isShutdown()) {
          connection.setIdleTimeout(LAST_WRITE_MILLIS);
        }
      }
    }

    private boolean dispatch(Request request, Response response, Callback callback) {
      String path = Request.getPathInContext(request);
      if (isRejected(request, path)) {
        reject(request, response, callback, new ApiException(401, UNAUTHORIZED, CHALLENGE));
        return true;
      }
      boolean isStarting = !isReady;
      Endpoint endpoint =
          isIceberg(path) ? iceberg : endpoints.get(request.getMethod() + " " + path);
      if (endpoint == null && isStarting) {
        reject(request, response, callback, new ApiException(503, NOT_READY));
        return true;
      }
      if (endpoint == null) {
        if (path.startsWith("/api/") || !request.getMethod().equals("GET")) {
          reject(request, response, callback, unknown(request.getMethod(), path));
          return true;
        }
        endpoint = files; // the page asks for the token
      }
      SocketAddress client = request.getConnectionMetaData().getRemoteSocketAddress();
      QueryAdmission.Slot slot;
      try {
        slot = admission(path).admit(client, () -> {});
      } catch (ApiException e) {
        failLater(response, callback, e);
        return true;
      }
      try {
        handle(endpoint, request, response, client, slot);
        callback.succeeded();
      } catch (Exception e) {
        if (response.isCommitted()) {
          callback.failed(e); // breaks the connection, so the response is not taken for complete
        } else if (e instanceof ApiException rejection) {
          fail(response, callback, rejection);
        } else if (e instanceof HttpException unread) { // while reading the body
          fail(response, callback, new ApiException(unread.getCode(), unread.getReason(), CLOSE));
        } else if (e instanceof StoreException) {
          // for example, the disk is full; the store has logged it already
          fail(response, callback, new ApiException(503, e.getMessage()));
        } else {
          LOG.warn("{} {} failed: {}", request.getMethod(), path, e.toString());
          fail(response, callback, new ApiException(500, String.valueOf(e.getMessage())));
        }
      }
      return true;
    }

    private QueryAdmission admission(String path) {
      return VITAL.contains(path) ? vital : isIceberg(path) ? catalog : admission;
    }

    private void reject(
        Request request, Response response, Callback callback, ApiException rejection) {
      RestOfBody.skipShort(request, () -> fail(response, callback, rejection));
    }

    /**
     * Rejects after a delay, without blocking a thread. So a client that retries immediately on all
     * its connections causes some hundred rejections a second, not thousands.
     */
    private void failLater(Response response, Callback callback, ApiException rejection) {
      var unused =
          connector
              .getScheduler()
              .schedule(
                  () -> fail(response, callback, rejection),
                  REJECTION_DELAY_MILLIS,
                  TimeUnit.MILLISECONDS);
    }

    private void handle(
        Endpoint endpoint,
        Request request,
        Response response,
        SocketAddress client,
        QueryAdmission.Slot slot)
        throws Exception {
      try (slot) {
        Exchange exchange =
            new Exchange(
                request,
                response,
                config.maxBodyBytes(),
                config.transfers(),
                slot,
                () -> admission.countRejection(ClientRejection.SLOW_READER, client),
                isTrusted(request));
        try {
          endpoint.handle(exchange);
        } finally {
          exchange.stopPacing();
        }
      } catch (ApiException e) {
        if (e.getCause() instanceof QueryException rejection) {
          ClientRejection.of(rejection.reason())
              .ifPresent(reason -> admission.countRejection(reason, client));
        }
        throw e;
      }
    }

    /** Whether a request lacks the token. The console's files and probes need none. */
    private boolean isRejected(Request request, String path) {
      boolean file =
          request.getMethod().equals("GET")
              && !path.startsWith("/api/")
              && !endpoints.containsKey("GET " + path);
      return !file && !path.equals(HEALTH) && !isTrusted(request);
    }

    private boolean isTrusted(Request request) {
      return token == null || token.matches(request.getHeaders().get(HttpHeader.AUTHORIZATION));
    }

    private ApiException unknown(String method, String path) {
      List<String> others =
          endpoints.keySet().stream()
              .filter(key -> key.endsWith(" " + path))
              .map(key -> key.substring(0, key.indexOf(' ')))
              .sorted()
              .toList();
      return others.isEmpty()
          ? new ApiException(404, "unknown path " + path)
          : new ApiException(
              405,
              "method " + method + " not allowed; use " + String.join(" or ", others),
              new HttpField(HttpHeader.ALLOW, String.join(", ", others)));
    }
  }

  private static boolean isIceberg(String path) {
    return path.startsWith(ICEBERG + "/");
  }

  static void fail(Response response, Callback callback, ApiException e) {
    response.reset();
    e.header().ifPresent(response.getHeaders()::put);
    if (e.isRetryable()) {
      response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
    }
    response.setStatus(e.status());
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("message", e.getMessage());
    error.put("status", HttpStatus.getMessage(e.status()));
    if (isIceberg(Request.getPathInContext(response.getRequest()))) {
      error.put("type", e.kind());
      error.put("code", e.status());
    }
    if (e.position() >= 0) {
      error.put("position", e.position());
    }
    try {
      byte[] body = Exchange.JSON.writeValueAsBytes(Map.of("error", error));
      response.write(true, ByteBuffer.wrap(body), callback);
    } catch (JsonProcessingException impossible) {
      callback.failed(impossible);
    }
  }
}
