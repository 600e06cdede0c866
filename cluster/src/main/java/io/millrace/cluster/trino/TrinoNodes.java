package io.millrace.cluster.trino;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.pulse.PrivateFiles;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Configuration files and commands of Trino's processes, on loopback. The catalog {@link #CATALOG}
 * is read-only; queries have time and memory limits.
 */
public final class TrinoNodes {
  /** Name of the catalog with the instance's tables. */
  public static final String CATALOG = "lake";

  /** Name of the coordinator process. */
  public static final String COORDINATOR = "trino";

  private static final Duration ANSWER = Duration.ofSeconds(5);
  private static final String ACTIVE =
      "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'";
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Maximum share of the heap for one query, in percent. */
  private static final int QUERY_PERCENT = 45;

  /** Share of the heap for allocations that Trino does not account for, in percent. */
  private static final int HEADROOM_PERCENT = 30;

  private final TrinoConfig config;
  private final String coordinator;
  private final List<Node> nodes = new ArrayList<>();

  /**
   * A process.
   *
   * @param address listen address, HOST:PORT
   * @param command program and arguments, independent of the working directory
   */
  public record Node(String name, String address, List<String> command) {}

  /**
   * Writes the configuration files of all processes.
   *
   * @param ports returns a free port for a process name
   */
  public TrinoNodes(TrinoConfig config, ToIntFunction<String> ports) throws IOException {
    this.config = config;
    coordinator = "127.0.0.1:" + ports.applyAsInt(COORDINATOR);
    add(COORDINATOR, coordinator);
    for (int i = 1; i <= config.workers(); i++) {
      String name = "trino-worker-" + i;
      add(name, "127.0.0.1:" + ports.applyAsInt(name));
    }
  }

  /** The coordinator, then the workers. */
  public List<Node> nodes() {
    return List.copyOf(nodes);
  }

  /** URL for clients. */
  public String url() {
    return "http://" + coordinator;
  }

  private void add(String name, String address) throws IOException {
    Path home = config.directory().resolve(name);
    Path catalogs = home.resolve("catalog");
    PrivateFiles.createDirectories(home);
    Files.createDirectories(catalogs);
    Path data = Files.createDirectories(home.resolve("data"));
    Path properties = home.resolve("config.properties");
    Path levels = home.resolve("log.properties");
    Files.write(properties, properties(name, address, home));
    Files.writeString(levels, "io.trino=WARN\nio.airlift=WARN\n");
    write(catalogs.resolve(CATALOG + ".properties"), catalog());
    nodes.add(
        new Node(
            name,
            address,
            List.of(
                config.java().toString(),
                "-Xmx" + config.heapBytes(),
                "-XX:+UseG1GC",
                "-XX:G1HeapRegionSize=16M",
                "-XX:+ExplicitGCInvokesConcurrent",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:-OmitStackTraceInFastThrow",
                "-XX:ReservedCodeCacheSize=256M",
                "-XX:PerMethodRecompilationCutoff=10000",
                "-XX:PerBytecodeRecompilationCutoff=10000",
                "-XX:ErrorFile=" + home.resolve("crash.log"),
                "-Djdk.attach.allowAttachSelf=true",
                "-Djdk.nio.maxCachedBufferSize=2000000",
                "-Dfile.encoding=UTF-8",
                "-Duser.timezone=UTC",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "--add-modules=jdk.incubator.vector",
                "-Dconfig=" + properties,
                "-Dlog.levels-file=" + levels,
                "-Dnode.environment=millrace",
                "-Dnode.id=" + name,
                "-Dnode.data-dir=" + data,
                "-Dnode.internal-address=127.0.0.1",
                "-Dnode.bind-ip=127.0.0.1",
                "-cp",
                config.distribution().classPath(),
                "io.trino.server.TrinoServer")));
  }

  private List<String> properties(String name, String address, Path home) {
    boolean isCoordinator = name.equals(COORDINATOR);
    List<String> lines = new ArrayList<>();
    lines.add("coordinator=" + isCoordinator);
    lines.add("http-server.http.port=" + address.substring(address.indexOf(':') + 1));
    lines.add("http-server.log.enabled=false");
    lines.add("discovery.uri=" + url());
    lines.add("plugin.dir=" + config.distribution().plugins());
    lines.add("catalog.management=static");
    lines.add("catalog.config-dir=" + home.resolve("catalog"));
    lines.add("query.max-memory-per-node=" + percent(QUERY_PERCENT));
    lines.add("memory.heap-headroom-per-node=" + percent(HEADROOM_PERCENT));
    if (isCoordinator) {
      lines.add("node-scheduler.include-coordinator=" + (config.workers() == 0));
      lines.add("query.max-execution-time=" + config.maxTime().toSeconds() + "s");
      lines.add("query.max-run-time=" + config.maxTime().multipliedBy(2).toSeconds() + "s");
      lines.add("query.max-memory=" + percent(QUERY_PERCENT * Math.max(1, config.workers())));
      lines.add("web-ui.enabled=false");
    }
    return lines;
  }

  private String percent(int percent) {
    return config.heapBytes() / 100 * percent + "B";
  }

  private List<String> catalog() {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "connector.name=iceberg",
                "iceberg.catalog.type=rest",
                "iceberg.rest-catalog.uri=" + config.catalog(),
                "iceberg.security=READ_ONLY",
                "fs.native-local.enabled=true",
                "local.location=/",
                "fs.native-s3.enabled=true",
                "s3.region=" + config.region()));
    config
        .endpoint()
        .ifPresent(
            endpoint -> {
              lines.add("s3.endpoint=" + endpoint);
              lines.add("s3.path-style-access=true");
            });
    config
        .token()
        .ifPresent(
            token -> {
              lines.add("iceberg.rest-catalog.security=OAUTH2");
              lines.add("iceberg.rest-catalog.oauth2.token=" + token);
            });
    return lines;
  }

  private static void write(Path secret, List<String> lines) throws IOException {
    Files.deleteIfExists(secret);
    try (FileChannel file = PrivateFiles.create(secret)) {
      ByteBuffer text =
          ByteBuffer.wrap((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
      while (text.hasRemaining()) {
        file.write(text);
      }
    }
  }

  /**
   * Whether a process is ready. A coordinator is ready when it knows all nodes, including itself,
   * which is some seconds after it reports that it has started.
   *
   * @param nodes number of nodes that a coordinator must know; 0 for a worker
   */
  public static boolean isReady(String address, int nodes) {
    String base = "http://" + address;
    try {
      JsonNode info = send(HttpRequest.newBuilder(URI.create(base + "/v1/info")));
      return info.path("starting").isBoolean()
          && !info.path("starting").asBoolean()
          && (nodes == 0 || active(base) >= nodes);
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static int active(String base) throws IOException, InterruptedException {
    JsonNode page =
        send(
            HttpRequest.newBuilder(URI.create(base + "/v1/statement"))
                .header("X-Trino-User", "millrace")
                .POST(HttpRequest.BodyPublishers.ofString(ACTIVE)));
    int active = 0;
    while (true) {
      active = Math.max(active, page.path("data").path(0).path(0).asInt());
      if (!page.hasNonNull("nextUri")) {
        return active;
      }
      page = send(HttpRequest.newBuilder(URI.create(page.path("nextUri").asText())));
    }
  }

  private static JsonNode send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    HttpResponse<String> response =
        HTTP.send(request.timeout(ANSWER).build(), HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IOException("status " + response.statusCode());
    }
    return JSON.readTree(response.body());
  }
}
