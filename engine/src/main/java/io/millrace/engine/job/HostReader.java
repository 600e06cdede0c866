package io.millrace.engine.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.engine.host.HostReporter;
import io.millrace.engine.host.HostSamples;
import io.millrace.engine.job.ClusterStatus.Core;
import io.millrace.engine.job.ClusterStatus.Host;
import io.millrace.engine.job.ClusterStatus.TaskManager;
import io.millrace.engine.job.ClusterStatus.Usage;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Reads machines: TaskManagers grouped by kernel, or by address without {@link HostReporter}. */
final class HostReader {
  private static final String HERE = "this process";

  private final FlinkRest rest;

  HostReader(FlinkRest rest) {
    this.rest = rest;
  }

  private record FoundHost(TaskManager taskManager, int cores, HostSamples samples) {
    String machine() {
      return samples == null ? name() : samples.machine();
    }

    String name() {
      if (samples != null) {
        return samples.host();
      }
      return taskManager.address().isEmpty() ? HERE : taskManager.address();
    }
  }

  List<Host> read() throws IOException {
    Map<String, List<FoundHost>> machines = new LinkedHashMap<>();
    for (JsonNode node : rest.get("/taskmanagers").path("taskmanagers")) {
      FoundHost found = find(node);
      machines.computeIfAbsent(found.machine(), machine -> new ArrayList<>()).add(found);
    }
    List<Host> hosts = machines.values().stream().map(HostReader::host).toList();
    return hosts.stream()
        .map(host -> withUniqueName(host, hosts))
        .sorted(Comparator.comparing(Host::name).thenComparing(Host::machine))
        .toList();
  }

  /** Makes names unique, since many machines are called localhost. */
  private static Host withUniqueName(Host host, List<Host> hosts) {
    boolean alone = hosts.stream().filter(other -> other.name().equals(host.name())).count() == 1;
    return alone ? host : host.withName(host.name() + '/' + host.taskManagers().get(0).address());
  }

  private FoundHost find(JsonNode node) throws IOException {
    String id = node.path("id").asText();
    TaskManager taskManager =
        new TaskManager(
            id,
            address(node.path("path").asText()),
            node.path("slotsNumber").asInt(),
            node.path("freeSlots").asInt());
    String samples =
        rest.metrics("/taskmanagers/" + id + "/metrics", List.of(HostReporter.METRIC))
            .get(HostReporter.METRIC);
    return new FoundHost(
        taskManager,
        node.path("hardware").path("cpuCores").asInt(),
        samples == null ? null : HostSamples.parse(samples));
  }

  private static String address(String rpc) {
    String host = URI.create(rpc).getHost();
    return host == null || URI.create(rpc).getPort() < 0 ? "" : host;
  }

  private static Host host(List<FoundHost> found) {
    FoundHost newest =
        found.stream()
            .filter(one -> one.samples != null)
            .max(Comparator.comparingLong(one -> one.samples.lastMillis()))
            .orElse(found.get(0));
    List<TaskManager> taskManagers =
        found.stream()
            .map(FoundHost::taskManager)
            .sorted(Comparator.comparing(TaskManager::address).thenComparing(TaskManager::id))
            .toList();
    HostSamples samples = newest.samples;
    if (samples == null) {
      return new Host(
          newest.name(), newest.machine(), newest.cores, null, 0, 0, List.of(), taskManagers);
    }
    List<Core> cores =
        samples.cores().stream()
            .filter(core -> !core.isEmpty())
            .map(core -> new Core(core.get(core.size() - 1), Usage.of(core), core))
            .toList();
    List<Double> means =
        cores.stream().map(Core::cpu).filter(Objects::nonNull).map(Usage::mean).toList();
    return new Host(
        newest.name(),
        newest.machine(),
        cores.isEmpty() ? newest.cores : cores.size(),
        Usage.of(means),
        samples.intervalMillis(),
        samples.lastMillis(),
        cores,
        taskManagers);
  }
}
