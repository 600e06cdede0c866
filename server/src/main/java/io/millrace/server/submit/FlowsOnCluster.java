package io.millrace.server.submit;

import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.RemoteLog;
import io.millrace.pipelines.flows.DatasetDeclaration;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pipelines.flows.StoreLink;
import io.millrace.pipelines.plugins.PluginCall;
import io.millrace.server.runtime.KafkaTopics;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.FlowSchema;
import io.millrace.store.Store;
import io.millrace.store.remote.RemoteInlet;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The main job on a cluster: the very one that runs in a process, with the store elsewhere. */
final class FlowsOnCluster implements ClusterPipeline {
  @Override
  public String name() {
    return FlowsPipeline.NAME;
  }

  @Override
  public void prepare(LogTopics topics) {
    topics.ensure(FlowsPipeline.TOPIC);
    FlowsPipeline.ensureDeadLetters(topics);
  }

  @Override
  public void check(MillraceConfig config, StoreLink.Remote store) {
    committed(config, store, new FlowSchema(List.of()));
    try (RemoteLog log = new RemoteLog(config.log())) {
      KafkaTopics.ensure(config, log);
    }
  }

  @Override
  public EmbeddedFlink.JobBuilder job(
      MillraceConfig config, List<PluginCall> plugins, StoreLink.Remote store, int parallelism) {
    Map<String, DatasetDeclaration> datasets = absolute(config.datasets());
    for (PluginCall plugin : plugins) {
      // Opened from here too, so that a wrong schema is told once and not by the job.
      RemoteInlet.open(
              store.host(),
              store.port(),
              store.secret(),
              plugin.name(),
              plugin.result(),
              List.of(),
              STORE_PATIENCE)
          .close();
    }
    return new FlowsPipeline(
            config.log().kafka(),
            FlowsPipeline.TOPIC,
            Optional.of(FlowsPipeline.DEAD_LETTERS),
            config.flows(),
            datasets,
            store,
            Store.FLOWS,
            parallelism,
            config.sink().flushInterval(),
            committed(config, store, FlowsPipeline.schema(datasets)),
            Optional.empty())
        .withPlugins(plugins, config.plugins().lateness())
        .withOut(KafkaTopics.out(config.withDatasets(datasets), config.log().kafka()));
  }

  private static Frontier committed(
      MillraceConfig config, StoreLink.Remote store, FlowSchema schema) {
    try (RemoteInlet<?, ?> inlet =
        RemoteInlet.open(
            store.host(),
            store.port(),
            store.secret(),
            Store.FLOWS,
            schema,
            config.sink().flushInterval(),
            STORE_PATIENCE)) {
      return inlet.committed();
    }
  }

  /** Each process of a cluster has a working directory of its own. */
  private static Map<String, DatasetDeclaration> absolute(
      Map<String, DatasetDeclaration> datasets) {
    Map<String, DatasetDeclaration> absolute = new LinkedHashMap<>();
    datasets.forEach(
        (name, set) ->
            absolute.put(
                name,
                new DatasetDeclaration(
                    set.kind(),
                    set.files().stream().map(f -> Path.of(f).toAbsolutePath().toString()).toList(),
                    set.columns(),
                    set.join(),
                    set.lenient(),
                    set.hotKeys())));
    return absolute;
  }
}
