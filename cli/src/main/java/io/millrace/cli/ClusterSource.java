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

/** Which cluster a command looks at: a running instance's own one, or a standing Flink. */
final class ClusterSource {
  private static final Map<String, String> WITH_CLUSTER = Map.of("with", "cluster");

  @Mixin private InstanceOption instance;

  @Option(
      names = "--jobmanager",
      paramLabel = "HOST:PORT",
      description = "A standing Flink cluster in place of the running instance: its REST port.")
  private String jobManager;

  /** One look. */
  record Look(Optional<JsonNode> instance, Optional<ClusterStatus> cluster) {}

  /** Looks at the instance and its cluster, or at the standing cluster. */
  Look look() throws IOException {
    if (jobManager != null) {
      return new Look(Optional.empty(), Optional.of(standing().readFresh()));
    }
    JsonNode status = instance.client().get("/api/v1/status", WITH_CLUSTER);
    JsonNode cluster = status.path("cluster");
    // Not there if the job runs on a cluster, or the instance's release does not tell it yet.
    return new Look(
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
