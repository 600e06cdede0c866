package io.millrace.engine.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Client of Flink's REST API, for the embedded JobManager or a separate cluster. Uses the first of
 * several JobManagers that responds; it forwards to the leader. Thread-safe.
 */
public final class FlinkRest {
  private static final Duration CONNECT = Duration.ofSeconds(2);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Flink accepts 4 KiB of path and query. */
  private static final int QUERY_LENGTH = 3_000;

  private static final int NO_LEADER = 503;

  private static final long ELECTION_RETRY_MILLIS = 200;
  private static final int MAX_ELECTION_RETRIES = 25;

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Cluster overview.
   *
   * @param version of Flink
   */
  public record Overview(
      int taskManagers, int slots, int freeSlots, int runningJobs, String version) {}

  /**
   * A registered TaskManager.
   *
   * @param id resource id: its name, if configured
   * @param address of its RPC
   */
  public record TaskManager(String id, String address, int slots, int freeSlots) {}

  /**
   * A job.
   *
   * @param state Flink's name, such as {@code RUNNING}
   * @param startMillis since the epoch
   */
  public record Job(String id, String name, String state, long startMillis, int tasks) {}

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT)
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();
  private final List<String> bases;

  /**
   * Creates a client; does not connect yet.
   *
   * @param jobManager {@code HOST:PORT}, or a URL
   * @throws IllegalArgumentException if it is neither
   */
  public FlinkRest(String jobManager) {
    this(List.of(jobManager));
  }

  /**
   * Creates a client of several JobManagers, one of which is the leader; see {@link
   * #FlinkRest(String)}.
   */
  public FlinkRest(List<String> jobManagers) {
    if (jobManagers.isEmpty()) {
      throw new IllegalArgumentException("no JobManager address given");
    }
    bases = jobManagers.stream().map(FlinkRest::base).toList();
  }

  private static String base(String jobManager) {
    String url = jobManager.contains("://") ? jobManager : "http://" + jobManager;
    URI uri = URI.create(url);
    if (uri.getHost() == null || (uri.getPort() < 0 && !jobManager.contains("://"))) {
      throw new IllegalArgumentException(jobManager + " is not HOST:PORT, for example flink1:8081");
    }
    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }

  /** Address that is tried first. */
  public String address() {
    return bases.get(0);
  }

  /** Cluster overview. */
  public Overview overview() throws IOException {
    JsonNode o = get("/overview");
    return new Overview(
        o.path("taskmanagers").asInt(),
        o.path("slots-total").asInt(),
        o.path("slots-available").asInt(),
        o.path("jobs-running").asInt(),
        o.path("flink-version").asText());
  }

  /** Registered TaskManagers. */
  public List<TaskManager> taskManagers() throws IOException {
    List<TaskManager> all = new ArrayList<>();
    for (JsonNode t : get("/taskmanagers").path("taskmanagers")) {
      all.add(
          new TaskManager(
              t.path("id").asText(),
              t.path("path").asText(),
              t.path("slotsNumber").asInt(),
              t.path("freeSlots").asInt()));
    }
    return all;
  }

  /** Running jobs, and ended ones that the cluster still lists. */
  public List<Job> jobs() throws IOException {
    List<Job> all = new ArrayList<>();
    for (JsonNode j : get("/jobs/overview").path("jobs")) {
      all.add(
          new Job(
              j.path("jid").asText(),
              j.path("name").asText(),
              j.path("state").asText(),
              j.path("start-time").asLong(),
              j.path("tasks").path("total").asInt()));
    }
    return all;
  }

  /**
   * Response to a GET.
   *
   * @param path with its query, for example {@code /jobs/overview}
   * @throws IOException if there is no response, it is not JSON, or its status is an error
   */
  public JsonNode get(String path) throws IOException {
    IOException last = null;
    for (String base : bases) {
      try {
        return get(base, path);
      } catch (IOException e) {
        if (last != null) {
          e.addSuppressed(last);
        }
        last = e;
      }
    }
    throw last;
  }

  private JsonNode get(String base, String path) throws IOException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(base + path)).timeout(TIMEOUT).build();
    HttpResponse<byte[]> response;
    try {
      response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
      for (int i = 0; i < MAX_ELECTION_RETRIES && response.statusCode() == NO_LEADER; i++) {
        Thread.sleep(ELECTION_RETRY_MILLIS);
        response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
      }
    } catch (ConnectException | HttpTimeoutException e) {
      throw new IOException(
          "no Flink JobManager responds at " + base + "; its REST port is 8081 by default", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for " + base, e);
    }
    JsonNode json;
    try {
      json = JSON.readTree(response.body());
    } catch (JsonProcessingException e) {
      throw new IOException(
          base
              + path
              + " responds with status "
              + response.statusCode()
              + " and no JSON;"
              + " is it Flink's REST port?",
          e);
    }
    if (response.statusCode() >= 400) {
      String why = json.path("errors").path(0).asText("").lines().findFirst().orElse("");
      throw new IOException(
          base
              + path
              + " responds with status "
              + response.statusCode()
              + (why.isEmpty() ? "; is it Flink's REST port?" : ": " + why));
    }
    return json;
  }

  /**
   * Values of metrics; missing ones are left out.
   *
   * @param path that lists them, for example {@code /taskmanagers/ID/metrics}
   */
  public Map<String, String> metrics(String path, List<String> names) throws IOException {
    Map<String, String> values = new HashMap<>();
    List<String> queries = new ArrayList<>();
    StringBuilder query = new StringBuilder();
    for (String name : names) {
      String word = URLEncoder.encode(name, StandardCharsets.UTF_8);
      if (query.length() > 0 && query.length() + word.length() >= QUERY_LENGTH) {
        queries.add(query.toString());
        query.setLength(0);
      }
      query.append(query.length() == 0 ? "" : ",").append(word);
    }
    if (query.length() > 0) {
      queries.add(query.toString());
    }
    for (String part : queries) {
      for (JsonNode metric : get(path + "?get=" + part)) {
        values.put(metric.path("id").asText(), metric.path("value").asText());
      }
    }
    return values;
  }

  /** Names of the metrics under a path. */
  public List<String> metricNames(String path) throws IOException {
    List<String> names = new ArrayList<>();
    get(path).forEach(metric -> names.add(metric.path("id").asText()));
    return names;
  }
}
