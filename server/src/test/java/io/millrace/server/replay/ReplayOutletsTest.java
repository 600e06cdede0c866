package io.millrace.server.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.FlowInput;
import io.millrace.pipelines.LocalStores;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.SharedParts;
import io.millrace.pipelines.StoreLink;
import io.millrace.pipelines.alerts.AlertsConfig;
import io.millrace.pipelines.apps.AppsConfig;
import io.millrace.pipelines.apps.AppsPipeline;
import io.millrace.pipelines.flowtrends.FlowTrendsConfig;
import io.millrace.pipelines.flowtrends.FlowTrendsPipeline;
import io.millrace.pipelines.hitters.HittersConfig;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.pipelines.kafka.KafkaEndpoints;
import io.millrace.pipelines.kafka.KafkaOutConfig;
import io.millrace.pipelines.trends.TrendsConfig;
import io.millrace.pipelines.trends.TrendsPipeline;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outputs of each pipeline, live and in a replay, by the last steps of its job. */
class ReplayOutletsTest {
  private static final String STORE = "outlets";

  /** Steps that write to anything but tables, by name of the job. */
  private static final Map<String, Set<String>> OUTLETS =
      Map.ofEntries(
          Map.entry(
              "flows",
              Set.of("dead-letters", "kafka-out", "hitters-topic", "hitters-alerts-topic")),
          Map.entry("gateways", Set.of("gateways-dead-letters")),
          Map.entry(
              "quota",
              Set.of("usage-dead-letters", "streaming-dead-letters", "quota-signals-topic")),
          Map.entry("count", Set.of("packet-dead-letters")),
          Map.entry("apps", Set.of("apps-dead-letters", "apps-topic")),
          Map.entry("ads", Set.of("ad_events-dead-letters", "ads-redis")),
          Map.entry(
              "trends", Set.of("keywords-dead-letters", "trends-topic", "trends-alerts-topic")),
          Map.entry(
              "voice",
              Set.of(
                  "voice_messages-dead-letters",
                  "voice_channels-dead-letters",
                  "voice-commands-topic")),
          Map.entry(
              "packets",
              Set.of("packets-dead-letters", "flow_trends-topic", "flow_trends-alerts-topic")));

  @TempDir Path directory;

  private static Set<String> ends(LogPipeline pipeline, Run run) throws Exception {
    StreamExecutionEnvironment job = StreamExecutionEnvironment.getExecutionEnvironment();
    pipeline.job(run).build(job);
    return job.getStreamGraph().getStreamNodes().stream()
        .filter(node -> node.getOutEdges().isEmpty())
        .map(StreamNode::getTransformationUID)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Run.Bounds bounds(LogPipeline pipeline) {
    Frontier nothing = new Frontier(Map.of(0, 0L));
    Map<String, Run.Range> topics = new HashMap<>();
    Stream.concat(
            pipeline.topics().stream(), pipeline.streams().stream().map(stream -> stream.topic()))
        .forEach(topic -> topics.put(topic, new Run.Range(nothing, nothing)));
    return new Run.Bounds(Optional.of("replay_20260131_120000_123"), topics);
  }

  @Test
  void aReplayWritesToSeparateTables() throws Exception {
    MillraceConfig config =
        MillraceConfig.defaults()
            .with(
                new HittersPipeline(
                    HittersConfig.defaults().withEnabled(true).withTopic("hitters")))
            .with(
                new FlowTrendsPipeline(
                    FlowTrendsConfig.defaults()
                        .withEnabled(true)
                        .withInput(FlowInput.PACKETS)
                        .withTopic("flow-trends")))
            .with(new TrendsPipeline(TrendsConfig.defaults().withTopic("trends")))
            .withAlerts(AlertsConfig.NONE.withTopic("alerts"))
            .with(new AppsPipeline(AppsConfig.defaults().withTopic("apps")))
            .withKafka(
                new KafkaEndpoints(
                    MillraceConfig.defaults().kafka().in(), KafkaOutConfig.NONE.withTopic("out")));
    SharedParts shared = config.shared();
    try (Store store = new DuckDbStore(directory, StoreConfig.defaults())) {
      LocalStores.add(STORE, store);
      Run live = Run.live("127.0.0.1:1", new StoreLink.Local(STORE), shared, 1);
      Map<String, Set<String>> outlets = new TreeMap<>();
      for (Pipeline each : config.pipelines()) {
        if (each instanceof LogPipeline pipeline) {
          Set<String> left = ends(pipeline, live);
          Set<String> again = ends(pipeline, live.over(bounds(pipeline)));
          assertThat(again).as(pipeline.name()).isNotEmpty().allMatch(end -> end.endsWith("store"));
          left.removeAll(again);
          outlets.put(pipeline.name(), left);
        }
      }
      assertThat(outlets).isEqualTo(OUTLETS);
    } finally {
      LocalStores.remove(STORE);
    }
  }
}
