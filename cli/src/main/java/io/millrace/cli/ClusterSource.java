package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.console.UsageException;
import io.millrace.engine.job.ClusterReader;
import io.millrace.engine.job.ClusterStatus;
import io.millrace.engine.job.FlinkRest;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Cluster that a command inspects: the engine of a running instance, or a Flink cluster. */
final class ClusterSource {
  private static final Map<String, String> WITH_CLUSTER = Map.of("with", "cluster");

  @Mixin private InstanceOption instance;

  @Option(
      names = "--jobmanager",
      paramLabel = "HOST:PORT",
      description = "REST address of a Flink cluster to inspect instead of the running instance.")
  private String jobManager;

  record Status(Optional<JsonNode> instance, Optional<ClusterStatus> cluster) {}

  Status read() throws IOException {
    if (jobManager != null) {
      return new Status(Optional.empty(), Optional.of(standing().readFresh()));
    }
    JsonNode status = instance.client().get("/api/v1/status", WITH_CLUSTER);
    JsonNode cluster = status.path("cluster");
    // missing if the jobs run on a cluster
    return new Status(
        Optional.of(status),
        cluster.isObject() ? Optional.of(ClusterStatus.fromJson(cluster)) : Optional.empty());
  }

  private ClusterReader standing() {
    try {
      return new ClusterReader(new FlinkRest(jobManager));
    } catch (IllegalArgumentException e) {
      throw new UsageException("--jobmanager: " + e.getMessage());
    }
  }
}
