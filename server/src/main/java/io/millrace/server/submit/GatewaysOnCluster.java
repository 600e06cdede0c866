package io.millrace.server.submit;

import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.log.LogTopics;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pipelines.flows.StoreLink;
import io.millrace.pipelines.gateways.GatewayTable;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.pipelines.plugins.PluginCall;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.remote.RemoteInlet;
import java.util.List;
import java.util.Optional;

/** The job of gateways on a cluster: the very one that runs in a process. */
final class GatewaysOnCluster implements ClusterPipeline {
  @Override
  public String name() {
    return GatewaysPipeline.NAME;
  }

  @Override
  public void prepare(LogTopics topics) {
    topics.ensure(GatewaysPipeline.TOPIC);
    FlowsPipeline.ensureDeadLetters(topics);
  }

  /** Its tables are always the same, so making them leaves those that are there as they are. */
  @Override
  public void check(MillraceConfig config, StoreLink.Remote store) {
    for (GatewayTable table : GatewayTable.ALL) {
      RemoteInlet.open(
              store.host(),
              store.port(),
              store.secret(),
              table.table(),
              table.schema(),
              table.key(),
              STORE_PATIENCE)
          .close();
    }
  }

  /** Plugins get flows, of which there are none here. */
  @Override
  public EmbeddedFlink.JobBuilder job(
      MillraceConfig config, List<PluginCall> plugins, StoreLink.Remote store, int parallelism) {
    return new GatewaysPipeline(
        config.log().kafka(),
        GatewaysPipeline.TOPIC,
        Optional.of(FlowsPipeline.DEAD_LETTERS),
        config.gateways().withSlots(parallelism),
        store,
        Optional.empty());
  }
}
