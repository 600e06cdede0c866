package io.millrace.pipelines.apps;

import io.millrace.analytics.app.AppAnalyzer;
import io.millrace.analytics.app.AppNames;
import io.millrace.analytics.app.AppRows;
import io.millrace.analytics.app.AppUsageFilter;
import io.millrace.analytics.app.ClassifierKind;
import io.millrace.analytics.app.PacketEnds;
import io.millrace.analytics.app.SubscriberCounts;
import io.millrace.analytics.app.TunnelFlows;
import io.millrace.analytics.app.TunnelSessions;
import io.millrace.analytics.app.subscriber.ControlMessages;
import io.millrace.analytics.app.subscriber.SubscriberConfig;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.operator.KeyedInput;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.pipelines.count.PacketSteps;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.PacketReject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Recognition of the applications of packets.
 *
 * <pre>
 *   log → decode +→ (by the pair of addresses) → flows +→ app_flows, apps
 *                |                                     +→ (by tunnel) → whose they are → app_flows
 *                +→ control messages → (by node) → sessions → (by tunnel) → ↑
 *   flows, also those in tunnels → what they had in 10 s
 *                +→ (by subscriber) → number of subscribers → apps
 *                +→ topic
 * </pre>
 *
 * @param config flow table, subscribers and topic
 */
public record AppsPipeline(AppsConfig config) implements LogPipeline {
  /** Name of the pipeline, and of its table of sums. */
  public static final String NAME = "apps";

  static final ResultSpec APPS = ResultSpec.of(NAME, AppRows.APPS);

  static final ResultSpec FLOWS = ResultSpec.of("app_flows", AppRows.FLOWS);

  private static final PacketSteps FIRST_STEPS = new PacketSteps("apps");
  private static final String FLOWS_STEP = "apps-flows";
  private static final String CONTROL_STEP = "apps-control";
  private static final String SESSIONS_STEP = "apps-sessions";
  private static final String TUNNELS_STEP = "apps-tunnels";
  private static final String SUBSCRIBERS_STEP = "apps-subscribers";

  /** Identity of a usage row in the topic; the subscriber first, as the message key. */
  private static final List<String> IDENTITY =
      List.of(
          "subscriber",
          "span_end",
          "src_addr",
          "dst_addr",
          "proto",
          "src_port",
          "dst_port",
          "begun");

  /** The pipeline with default settings: disabled. */
  public AppsPipeline() {
    this(AppsConfig.defaults());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public AppsPipeline with(Record other) {
    return new AppsPipeline((AppsConfig) other);
  }

  @Override
  public boolean enabled() {
    return config.enabled();
  }

  @Override
  public List<String> topics() {
    return List.of(CountPipeline.TOPIC);
  }

  @Override
  public int slots(int jobSlots) {
    return config.slots();
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(APPS, FLOWS);
  }

  @Override
  public Map<String, String> views() {
    return Map.of(
        "app_shares",
        "SELECT app, sum(packets)::BIGINT AS packets, sum(bytes)::BIGINT AS bytes,"
            + " sum(flows)::BIGINT AS flows,"
            + " round(100 * sum(bytes) / sum(sum(bytes)) OVER (), 2) AS percent"
            + " FROM apps GROUP BY app ORDER BY bytes DESC, app");
  }

  @Override
  public String inCounter() {
    return FIRST_STEPS.packets();
  }

  @Override
  public List<Figure> figures() {
    List<Figure> figures = new ArrayList<>();
    figures.add(new Figure("packets", "packets processed", counter(AppAnalyzer.PACKETS)));
    figures.addAll(PacketSteps.rejects(FLOWS_STEP, AppAnalyzer.REJECTS));
    figures.addAll(PacketSteps.rejects(SESSIONS_STEP, Set.of(PacketReject.BAD_CONTROL_MESSAGE)));
    figures.add(
        new Figure(
            "evicted_flows", "flows evicted early (table full)", counter(AppAnalyzer.EVICTED)));
    figures.add(
        new Figure(
            "evicted_subscribers",
            "subscribers evicted (table full)",
            SESSIONS_STEP + '.' + TunnelSessions.EVICTED));
    figures.add(
        new Figure(
            "evicted_tunnels",
            "tunnel endpoints evicted (table full)",
            TUNNELS_STEP + '.' + TunnelFlows.EVICTED));
    figures.add(
        new Figure(
            "late_tunnels",
            "late tunnel owners (rows of that time already emitted)",
            TUNNELS_STEP + '.' + TunnelFlows.LATE));
    figures.add(
        new Figure(
            "dropped_heads",
            "first bytes of flows not kept (memory limit)",
            counter(AppAnalyzer.DROPPED_HEADS)));
    figures.add(FIRST_STEPS.invalidValues());
    return figures;
  }

  private static String counter(String name) {
    return FLOWS_STEP + '.' + name;
  }

  @Override
  public List<String> problems(Map<String, Long> counters) {
    long evicted = Pipeline.sum(counters, counter(AppAnalyzer.EVICTED));
    long forgotten = Pipeline.sum(counters, SESSIONS_STEP + '.' + TunnelSessions.EVICTED);
    long late = Pipeline.sum(counters, TUNNELS_STEP + '.' + TunnelFlows.LATE);
    long owners = Pipeline.sum(counters, SESSIONS_STEP + ".rowsOut");
    List<String> problems = new ArrayList<>(FIRST_STEPS.problems(NAME, FLOWS_STEP, counters));
    if (evicted > 0) {
      problems.add(
          "apps: %d flows were evicted early (table full): raise apps.max-flows"
              .formatted(evicted));
    }
    if (forgotten > 0) {
      problems.add(
          "apps: %d subscriber sessions were evicted (table full): raise apps.max-subscribers"
              .formatted(forgotten));
    }
    if (late * 100 > owners) { // 1% or more is disorder beyond the watermark delay
      problems.add(
          "apps: %d of %d tunnel owners were reported late: raise apps.watermark-delay, or"
                  .formatted(late, owners)
              + " find out why control-plane messages arrive later than packets of the same time");
    }
    return problems;
  }

  @Override
  public List<ApiEndpoint> endpoints() {
    return List.of(
        new ApiEndpoint("top", (parameters, store) -> new TopApps(store).query(parameters)));
  }

  @Override
  public Optional<String> resultTopic() {
    return Optional.ofNullable(config.topic());
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) {
    int parallelism = run.parallelism();
    boolean isUsePublished = config.topic() != null;
    boolean isUseOfAll = isUsePublished && !config.topicSubscribers();
    SingleOutputStreamOperator<PacketBlock> packets =
        Analyzers.analyze(
            FIRST_STEPS.addTo(job, run, Optional.of(config.watermarkDelay())),
            CONTROL_STEP,
            BlockTypeInfo.of(PacketBlock.FAMILY),
            parallelism,
            subtask -> new ControlMessages());
    IpLayer layer = config.layer();
    FlowTableConfig table = config.table();
    ClassifierKind kind = config.classifier();
    String names = config.names();
    SubscriberConfig subscribers = config.subscribers();
    SingleOutputStreamOperator<TableBlock> flows =
        Analyzers.analyzeKeyed(
            packets,
            new PacketEnds(layer),
            FLOWS_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            subtask -> new AppAnalyzer(table, layer, kind, names(names), isUseOfAll));
    DataStream<TableBlock> owners =
        Analyzers.analyzeKeyed(
            Analyzers.output(packets, ControlMessages.CONTROL),
            ControlMessages.BY_NODE,
            SESSIONS_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            subtask -> new TunnelSessions(subscribers));
    SingleOutputStreamOperator<TableBlock> inTunnels =
        Analyzers.analyzeKeyed(
            new KeyedInput<>(owners, TunnelSessions.BY_TUNNEL),
            new KeyedInput<>(
                Analyzers.output(flows, AppAnalyzer.IN_TUNNELS), TunnelFlows.BY_TUNNEL),
            TUNNELS_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            Optional.empty(),
            subtask -> new TunnelFlows(subscribers, isUseOfAll));
    run.store(flows.union(inTunnels), FLOWS);
    DataStream<TableBlock> usage =
        Analyzers.output(flows, AppAnalyzer.USAGE)
            .union(Analyzers.output(inTunnels, TunnelFlows.USAGE));
    DataStream<TableBlock> subscribersOfApps =
        Analyzers.analyzeKeyed(
            usage,
            SubscriberCounts.BY_SUBSCRIBER,
            SUBSCRIBERS_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            subtask -> new SubscriberCounts());
    run.store(Analyzers.output(flows, AppAnalyzer.SUMS).union(subscribersOfApps), APPS);
    if (isUsePublished) {
      run.outlet(() -> publish(run, usage));
    }
  }

  private void publish(Run run, DataStream<TableBlock> usage) {
    Set<String> apps = new HashSet<>(config.topicApps()); // serialised with the job
    run.publish(
        Analyzers.analyze(
            usage,
            "apps-topic-rows",
            BlockTypeInfo.TABLES,
            run.parallelism(),
            subtask -> new AppUsageFilter(apps)),
        ResultTopic.inLog(
            run.bootstrapServers(),
            config.topic(),
            "apps.uses",
            AppRows.USAGE,
            IDENTITY,
            "span_end",
            config.release()),
        "apps-topic");
  }

  private static AppNames names(String file) {
    try {
      return file.isEmpty() ? AppNames.builtIn() : AppNames.withFile(Path.of(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
