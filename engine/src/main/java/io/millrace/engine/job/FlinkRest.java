package io.millrace.engine.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a Flink cluster says of itself over its REST interface. With several JobManagers the first
 * one that answers is asked: one that does not lead leads there. Thread-safe.
 */
public final class FlinkRest {
  private static final Duration CONNECT = Duration.ofSeconds(1);
  private static final Duration ANSWER = Duration.ofSeconds(5);
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * The cluster in numbers.
   *
   * @param version of Flink
   */
  public record Overview(
      int taskManagers, int slots, int freeSlots, int runningJobs, String version) {}

  /**
   * A TaskManager that is registered.
   *
   * @param id its name where it was given one
   * @param address of its remote calls
   */
  public record TaskManager(String id, String address, int slots, int freeSlots) {}

  /**
   * A job.
   *
   * @param state Flink's word, such as {@code RUNNING}
   * @param startMillis since the epoch
   */
  public record Job(String id, String name, String state, long startMillis, int tasks) {}

  private final List<URI> addresses;
  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(CONNECT)
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  /** The JobManagers' addresses, {@code http://HOST:PORT}. */
  public FlinkRest(List<String> addresses) {
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("no JobManager's address is given");
    }
    this.addresses = addresses.stream().map(URI::create).toList();
  }

  /** The cluster in numbers. */
  public Overview overview() throws IOException {
    JsonNode o = get("/overview");
    return new Overview(
        o.path("taskmanagers").asInt(),
        o.path("slots-total").asInt(),
        o.path("slots-available").asInt(),
        o.path("jobs-running").asInt(),
        o.path("flink-version").asText());
  }

  /** Those that are registered. */
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

  /** Jobs that run, and those that have ended and are not yet forgotten. */
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
   * Any answer.
   *
   * @param path from the root, with its query
   * @throws IOException if no JobManager answers, or the answer is not a good one
   */
  public JsonNode get(String path) throws IOException {
    IOException last = null;
    for (URI address : addresses) {
      try {
        return get(address.resolve(path));
      } catch (IOException e) {
        if (last != null) {
          e.addSuppressed(last);
        }
        last = e;
      }
    }
    throw last;
  }

  private JsonNode get(URI address) throws IOException {
    HttpRequest request = HttpRequest.newBuilder(address).timeout(ANSWER).build();
    HttpResponse<String> answer;
    try {
      answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while asking " + address, e);
    } catch (IOException e) {
      throw new IOException("no JobManager answers at " + address, e);
    }
    if (answer.statusCode() != 200) {
      throw new IOException(address + " answers " + answer.statusCode() + ": " + answer.body());
    }
    return JSON.readTree(answer.body());
  }
}
