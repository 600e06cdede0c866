package io.millrace.server.submit;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The pipelines that can be sent to a cluster; a new one is added to the list. */
public final class ClusterPipelines {
  private static final Map<String, ClusterPipeline> ALL =
      List.<ClusterPipeline>of(new FlowsOnCluster(), new GatewaysOnCluster()).stream()
          .collect(Collectors.toMap(ClusterPipeline::name, Function.identity()));

  private ClusterPipelines() {}

  /** Their names, sorted. */
  public static List<String> names() {
    return ALL.keySet().stream().sorted().toList();
  }

  static Optional<ClusterPipeline> named(String name) {
    return Optional.ofNullable(ALL.get(name));
  }
}
