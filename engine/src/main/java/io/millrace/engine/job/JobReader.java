package io.millrace.engine.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.engine.job.ClusterStatus.Checkpoint;
import io.millrace.engine.job.ClusterStatus.Checkpoints;
import io.millrace.engine.job.ClusterStatus.Host;
import io.millrace.engine.job.ClusterStatus.Job;
import io.millrace.engine.job.ClusterStatus.Step;
import io.millrace.engine.job.ClusterStatus.Subtask;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

final class JobReader {
  private static final String CAUSE = "Caused by: ";
  private static final String RESTARTS = "numRestarts";
  private static final String OLD_RESTARTS = "fullRestarts";

  private final FlinkRest rest;
  private final Map<String, String> hostOfTaskManager = new HashMap<>();
  private final long nowMillis;

  JobReader(FlinkRest rest, List<Host> hosts, long nowMillis) {
    this.rest = rest;
    this.nowMillis = nowMillis;
    for (Host host : hosts) {
      host.taskManagers()
          .forEach(taskManager -> hostOfTaskManager.put(taskManager.id(), host.name()));
    }
  }

  Job read(JsonNode overview) throws IOException {
    String path = "/jobs/" + overview.path("jid").asText();
    JsonNode detail = rest.get(path);
    Map<String, List<String>> inputs = new HashMap<>();
    for (JsonNode node : detail.path("plan").path("nodes")) {
      Set<String> ids = new LinkedHashSet<>(); // two inputs may come from one step
      node.path("inputs").forEach(input -> ids.add(input.path("id").asText()));
      inputs.put(node.path("id").asText(), List.copyOf(ids));
    }
    List<Step> steps = new ArrayList<>();
    Long lag = null;
    for (JsonNode vertex : detail.path("vertices")) {
      String vertexPath = path + "/vertices/" + vertex.path("id").asText();
      String name = vertex.path("name").asText();
      StepMetrics metrics = StepMetrics.read(rest, vertexPath + "/metrics", name);
      List<String> before = inputs.getOrDefault(vertex.path("id").asText(), List.of());
      steps.add(step(vertex, name, before, rest.get(vertexPath), metrics));
      Long pending = metrics.pending();
      if (pending != null) {
        lag = pending + (lag == null ? 0 : lag);
      }
    }
    Map<String, String> restarts = rest.metrics(path + "/metrics", List.of(RESTARTS, OLD_RESTARTS));
    return new Job(
        overview.path("jid").asText(),
        detail.path("name").asText(),
        detail.path("state").asText(),
        detail.path("start-time").asLong(),
        Long.parseLong(restarts.getOrDefault(RESTARTS, restarts.getOrDefault(OLD_RESTARTS, "0"))),
        lag,
        failure(path),
        checkpoints(path),
        inFlow(steps));
  }

  /**
   * Sorts the steps so that each follows its inputs; Flink lists a rescaled job in another order.
   */
  private static List<Step> inFlow(List<Step> steps) {
    Map<String, Step> placed = new LinkedHashMap<>();
    for (int round = 0; round < steps.size(); round++) {
      for (Step step : steps) {
        if (placed.keySet().containsAll(step.inputs())) {
          placed.putIfAbsent(step.id(), step);
        }
      }
    }
    return List.copyOf(placed.values());
  }

  private Step step(
      JsonNode vertex, String name, List<String> inputs, JsonNode detail, StepMetrics metrics) {
    List<Subtask> subtasks = new ArrayList<>();
    for (JsonNode node : detail.path("subtasks")) {
      int index = node.path("subtask").asInt();
      String taskManager = node.path("taskmanager-id").asText("");
      subtasks.add(
          new Subtask(
              index,
              node.path("status").asText(),
              hostOfTaskManager.getOrDefault(taskManager, ""),
              hostOfTaskManager.containsKey(taskManager) ? taskManager : "",
              metrics.load(index, nowMillis)));
    }
    subtasks.sort(Comparator.comparingInt(Subtask::index));
    return new Step(
        vertex.path("id").asText(),
        name,
        vertex.path("status").asText(),
        vertex.path("parallelism").asInt(),
        vertex.path("maxParallelism").asInt(),
        inputs,
        Loads.together(subtasks.stream().map(Subtask::load).toList(), inputs.isEmpty()),
        List.copyOf(subtasks));
  }

  private Checkpoints checkpoints(String path) throws IOException {
    JsonNode stats = rest.get(path + "/checkpoints");
    JsonNode counts = stats.path("counts");
    JsonNode last = stats.path("latest").path("completed");
    Checkpoint checkpoint =
        last.path("id").isMissingNode()
            ? null
            : new Checkpoint(
                last.path("id").asLong(),
                Math.max(0, nowMillis - last.path("trigger_timestamp").asLong()),
                last.path("end_to_end_duration").asLong(),
                last.path("state_size").asLong());
    return new Checkpoints(
        checkpoint,
        counts.path("completed").asLong(),
        counts.path("failed").asLong(),
        counts.path("in_progress").asLong());
  }

  private String failure(String path) throws IOException {
    JsonNode last =
        rest.get(path + "/exceptions?maxExceptions=1")
            .path("exceptionHistory")
            .path("entries")
            .path(0);
    String trace = last.path("stacktrace").asText("");
    if (trace.isEmpty()) {
      return null;
    }
    String root = trace.lines().findFirst().orElse("");
    for (String line : trace.lines().toList()) {
      if (line.startsWith(CAUSE)) {
        root = line.substring(CAUSE.length());
      }
    }
    return root + ", at " + Instant.ofEpochMilli(last.path("timestamp").asLong());
  }
}
