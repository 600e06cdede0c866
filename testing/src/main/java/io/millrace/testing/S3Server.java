package io.millrace.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An in-memory S3 server with injected faults. Accepts any signature. Thread-safe. */
public final class S3Server implements AutoCloseable {
  /** What keys of objects must begin with. */
  public static final String LOCATION = "s3://lake/some/prefix";

  private static final String BUCKET = "lake";
  private static final String PREFIX = "some/prefix/";
  private static final int PAGE = 7; // so that lists have several

  /** What happens to a request. */
  public enum Fault {
    /** Status 500, no effect. */
    FAILS,
    /** Status 503, no effect. */
    IS_BUSY,
    /** Takes effect, but the status is 500. */
    ANSWER_IS_LOST,
    /** Status 500; takes effect later, at {@link #deliverLate}. */
    IS_LATE,
    /** The body ends before its length. */
    IS_CUT
  }

  /** Bytes as characters. */
  private record Stored(String bytes, Instant modified) {}

  private interface Late {
    void run();
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  // Guarded by this.
  private final NavigableMap<String, Stored> objects = new TreeMap<>();
  private final Deque<Fault> faults = new ArrayDeque<>();
  private final List<Late> late = new ArrayList<>();
  private final Map<String, Integer> requests = new HashMap<>();
  private String affected = "";
  private boolean isDown;
  private boolean isPaused;
  private String failingMethod = "";
  private boolean isHeld;
  private boolean isUnconditional;
  private Random random;
  private double failingShare;

  /** Starts on a free port of loopback, and sets credentials for clients in this process. */
  public S3Server() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.setExecutor(threads);
    server.start();
    System.setProperty("aws.accessKeyId", "test");
    System.setProperty("aws.secretAccessKey", "test");
  }

  /** URL of the server. */
  public String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Faults of the next requests, in order. */
  public synchronized void next(Fault... wanted) {
    next("", wanted);
  }

  /** Faults of the next requests with a key that contains a text, in order. */
  public synchronized void next(String text, Fault... wanted) {
    affected = text;
    faults.addAll(List.of(wanted));
  }

  /** Ignores If-None-Match, as some servers do. */
  public synchronized void ignoreConditions() {
    isUnconditional = true;
  }

  /** Delays responses while held. */
  public synchronized void hold(boolean held) {
    isHeld = held;
    notifyAll();
  }

  /** Fails all requests with a method. */
  public synchronized void failMethod(String method) {
    failingMethod = method;
  }

  /** Whether all requests fail with status 500. */
  public synchronized void setDown(boolean down) {
    isDown = down;
  }

  /** Lets a share of the requests fail in any way, until {@link #heal}. */
  public synchronized void failAtRandom(Random chance, double share) {
    random = chance;
    failingShare = share;
  }

  /** Suspends the injection of faults; pending ones stay. */
  public synchronized void setPaused(boolean paused) {
    isPaused = paused;
  }

  /** Forgets faults that did not happen. */
  public synchronized void heal() {
    faults.clear();
    isDown = false;
    failingShare = 0;
  }

  /** Lets requests that were late take effect. */
  public synchronized void deliverLate() {
    late.forEach(Late::run);
    late.clear();
  }

  /** Keys of the objects, without the prefix. */
  public synchronized List<String> keys() {
    return objects.keySet().stream().map(key -> key.substring(PREFIX.length())).toList();
  }

  /** Pretends that an object was written at a time. */
  public synchronized void setModified(String key, Instant time) {
    objects.computeIfPresent(PREFIX + key, (name, old) -> new Stored(old.bytes, time));
  }

  /** Deletes all objects. */
  public synchronized void clear() {
    objects.clear();
  }

  /** Number of requests with a method since the start. */
  public synchronized int requests(String method) {
    return requests.getOrDefault(method, 0);
  }

  private record Response(int status, String body, String size) {
    static Response of(int status) {
      return new Response(status, "", null);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), ISO_8859_1);
      Response response;
      boolean isCut;
      synchronized (this) {
        while (isHeld) {
          wait();
        }
        requests.merge(exchange.getRequestMethod(), 1, Integer::sum);
        Fault fault =
            exchange.getRequestMethod().equals(failingMethod)
                ? Fault.FAILS
                : fault(exchange.getRequestURI().getPath());
        isCut = fault == Fault.IS_CUT;
        response = answer(exchange, body, fault);
      }
      exchange.getResponseHeaders().set("Content-Type", "application/xml");
      if (response.size != null) { // of HEAD
        exchange.getResponseHeaders().set("Content-Length", response.size);
      }
      byte[] sent = response.body.getBytes(ISO_8859_1);
      exchange.sendResponseHeaders(response.status, sent.length == 0 ? -1 : sent.length);
      if (sent.length > 0) {
        exchange.getResponseBody().write(sent, 0, isCut ? sent.length / 2 : sent.length);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the server is being closed
    }
  }

  private Fault fault(String path) {
    if (isPaused) {
      return null;
    }
    if (isDown) {
      return Fault.FAILS;
    }
    if (failingShare > 0 && random.nextDouble() < failingShare) {
      if (random.nextBoolean()) {
        deliverLate();
      }
      return Fault.values()[random.nextInt(Fault.values().length)];
    }
    return path.contains(affected) ? faults.poll() : null;
  }

  private Response answer(HttpExchange exchange, String body, Fault fault) {
    if (fault == Fault.IS_BUSY) {
      return Response.of(503);
    }
    if (fault == Fault.FAILS) {
      return Response.of(500);
    }
    if (fault == Fault.IS_LATE) {
      late.add(() -> apply(exchange, body));
      return Response.of(500);
    }
    Response response = apply(exchange, body);
    return fault == Fault.ANSWER_IS_LOST ? Response.of(500) : response;
  }

  private Response apply(HttpExchange exchange, String body) {
    String path = exchange.getRequestURI().getPath().substring(("/" + BUCKET).length());
    String key = path.isEmpty() ? "" : path.substring(1);
    String source = exchange.getRequestHeaders().getFirst("x-amz-copy-source");
    return switch (exchange.getRequestMethod()) {
      case "PUT" ->
          source != null
              ? copy(source, key)
              : put(key, body, exchange.getRequestHeaders().containsKey("If-None-Match"));
      case "GET" -> key.isEmpty() ? list(exchange.getRequestURI().getQuery()) : get(key);
      case "HEAD" -> {
        Stored found = objects.get(key);
        yield found == null
            ? Response.of(404)
            : new Response(200, "", Integer.toString(found.bytes.length()));
      }
      case "DELETE" -> {
        objects.remove(key);
        yield Response.of(204);
      }
      default -> Response.of(405);
    };
  }

  private Response put(String key, String body, boolean isNew) {
    if (isNew && !isUnconditional && objects.containsKey(key)) {
      return error(412, "PreconditionFailed");
    }
    objects.put(key, new Stored(body, Instant.now()));
    return Response.of(200);
  }

  private Response copy(String source, String key) {
    String from = source.substring(source.indexOf('/', 1) + 1);
    objects.put(key, objects.get(from));
    return xml(200, "<CopyObjectResult><ETag>e</ETag></CopyObjectResult>");
  }

  private Response get(String key) {
    Stored found = objects.get(key);
    return found == null ? error(404, "NoSuchKey") : new Response(200, found.bytes, null);
  }

  private Response list(String query) {
    Map<String, String> parameters = new HashMap<>();
    for (String each : query.split("&", -1)) {
      int equals = each.indexOf('=');
      parameters.put(
          equals < 0 ? each : each.substring(0, equals),
          equals < 0 ? "" : each.substring(equals + 1));
    }
    String prefix = parameters.getOrDefault("prefix", "");
    String after = parameters.getOrDefault("continuation-token", "");
    boolean hasFolders = parameters.containsKey("delimiter");
    StringBuilder xml = new StringBuilder();
    TreeSet<String> folders = new TreeSet<>();
    int n = 0;
    String last = null;
    for (Map.Entry<String, Stored> each : objects.tailMap(prefix, true).entrySet()) {
      String key = each.getKey();
      if (!key.startsWith(prefix)) {
        break;
      }
      int slash = key.indexOf('/', prefix.length());
      if (hasFolders && slash > 0) {
        folders.add(key.substring(0, slash + 1));
      } else if (key.compareTo(after) > 0) {
        if (n == PAGE) {
          xml.append("<NextContinuationToken>" + last + "</NextContinuationToken>");
          break;
        }
        n++;
        last = key;
        xml.append(
            "<Contents><Key>%s</Key><Size>%d</Size><LastModified>%s</LastModified></Contents>"
                .formatted(key, each.getValue().bytes.length(), each.getValue().modified));
      }
    }
    folders.forEach(
        folder -> xml.append("<CommonPrefixes><Prefix>" + folder + "</Prefix></CommonPrefixes>"));
    return xml(200, "<ListBucketResult>" + xml + "</ListBucketResult>");
  }

  private static Response error(int status, String code) {
    return xml(status, "<Error><Code>" + code + "</Code></Error>");
  }

  private static Response xml(int status, String text) {
    return new Response(status, text, null);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
