package io.millrace.server.runtime;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogConfig;
import io.millrace.pipelines.FlowPipeline;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.SharedParts;
import io.millrace.pipelines.ads.AdsPipeline;
import io.millrace.pipelines.alerts.AlertsConfig;
import io.millrace.pipelines.apps.AppsPipeline;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pipelines.flowtrends.FlowTrendsPipeline;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.pipelines.kafka.KafkaEndpoints;
import io.millrace.pipelines.packets.PacketsPipeline;
import io.millrace.pipelines.plugins.PluginsConfig;
import io.millrace.pipelines.quota.QuotaPipeline;
import io.millrace.pipelines.trends.TrendsPipeline;
import io.millrace.pipelines.voice.VoicePipeline;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.capture.CaptureConfig;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.server.flight.FlightConfig;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.store.StoreConfig;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.LedgerQuota;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All settings of one process; each component checks its own.
 *
 * @param data directory of the log, the checkpoints, the store and the ledger
 * @param collector where datagrams come in
 * @param capture where packets come in
 * @param log where they are kept
 * @param job how they are worked on
 * @param pipelines with the settings of each, which are a section of its name
 * @param sink how rows get into the store
 * @param store where rows are kept
 * @param rollups which sums of them
 * @param http where questions come in
 * @param flight where questions of SQL tools come in
 * @param ingest where records of gateways come in
 * @param datasets what flows are joined with, by name
 * @param plugins what else gets the flows
 * @param kafka topics that bring flows and get them
 * @param alerts where new heavy hitters, changers and trends go
 */
@RecordBuilder
public record MillraceConfig(
    Path data,
    CollectorConfig collector,
    CaptureConfig capture,
    LogConfig log,
    FlinkConfig job,
    List<Pipeline> pipelines,
    SinkConfig sink,
    StoreConfig store,
    RollupConfig rollups,
    HttpConfig http,
    FlightConfig flight,
    IngestConfig ingest,
    Map<String, DatasetDeclaration> datasets,
    PluginsConfig plugins,
    KafkaEndpoints kafka,
    AlertsConfig alerts)
    implements MillraceConfigBuilder.With {

  /** All that there are. A new one is a line here. */
  private static final List<Pipeline> PIPELINES =
      List.of(
          FlowsPipeline.defaults(),
          GatewaysPipeline.defaults(),
          HittersPipeline.defaults(),
          QuotaPipeline.defaults(),
          CountPipeline.defaults(),
          AppsPipeline.defaults(),
          AdsPipeline.defaults(),
          TrendsPipeline.defaults(),
          FlowTrendsPipeline.defaults(),
          VoicePipeline.defaults(),
          PacketsPipeline.defaults());

  /** Checks that the data sets can be meant, and go together, before anything is started. */
  public MillraceConfig {
    DataDirectory.check(data);
    pipelines = List.copyOf(pipelines);
    DatasetDeclaration.toConfigs(datasets);
    flight.check(http);
    for (Pipeline pipeline : pipelines) {
      if (alerts.isOn() && pipeline.resultTopic().equals(alerts.topicName())) {
        throw new IllegalArgumentException(
            "alerts.topic: %s gets the results of %s too: name another one"
                .formatted(alerts.topicName().orElseThrow(), pipeline.name()));
      }
    }
    if (job.run() == FlinkConfig.Place.CLUSTER && store.listen() == null) {
      throw new IllegalArgumentException(
          "job.run: cluster needs store.listen, the address at which the job reaches the store:"
              + " write store.listen: ADDRESS:PORT");
    }
  }

  /** What holds when nothing is said. */
  public static MillraceConfig defaults() {
    return new MillraceConfig(
        Path.of("millrace-data"),
        CollectorConfig.defaults(),
        CaptureConfig.OFF,
        LogConfig.defaults(),
        FlinkConfig.defaults(),
        PIPELINES,
        SinkConfig.DEFAULTS,
        StoreConfig.defaults(),
        RollupConfig.DEFAULT,
        HttpConfig.DEFAULTS,
        FlightConfig.DEFAULTS,
        IngestConfig.OFF,
        Map.of(),
        PluginsConfig.NONE,
        KafkaEndpoints.NONE,
        AlertsConfig.NONE);
  }

  /**
   * The same with another section.
   *
   * @param section of the class of one of this record's components
   */
  public MillraceConfig withSection(Record section) {
    RecordComponent[] components = MillraceConfig.class.getRecordComponents();
    Class<?>[] types = Stream.of(components).map(RecordComponent::getType).toArray(Class[]::new);
    int place = List.of(types).indexOf(section.getClass());
    try {
      Object[] values = new Object[components.length];
      for (int i = 0; i < values.length; i++) {
        values[i] = i == place ? section : components[i].getAccessor().invoke(this);
      }
      return MillraceConfig.class.getDeclaredConstructor(types).newInstance(values);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(e.getCause().getMessage(), e);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e); // those of a public record are there
    }
  }

  /**
   * The pipelines that run, those of plugins at the end: all that are enabled, and those in whose
   * job one of these is.
   */
  public List<Pipeline> running(List<? extends Pipeline> ofPlugins) {
    Set<String> jobs =
        pipelines.stream()
            .filter(Pipeline::enabled)
            .map(Pipeline::jobName)
            .collect(Collectors.toSet());
    return Stream.concat(
            pipelines.stream().filter(each -> each.enabled() || jobs.contains(each.name())),
            ofPlugins.stream())
        .toList();
  }

  /** What pipelines share, with those that run behind flows. */
  public SharedParts shared(List<? extends Pipeline> ofPlugins) {
    List<FlowPipeline> behind =
        running(ofPlugins).stream()
            .filter(FlowPipeline.class::isInstance)
            .map(FlowPipeline.class::cast)
            .toList();
    return new SharedParts(
        datasets, sink.flushInterval(), kafka, behind, plugins.lateness(), linkedAlerts());
  }

  /** Alerts with the address of the console, where it is said or follows from the listener. */
  private AlertsConfig linkedAlerts() {
    return alerts.console() != null ? alerts : alerts.withConsole(http.url().orElse(null));
  }

  /** A pipeline, with its settings. */
  public <P extends Pipeline> P pipeline(Class<P> type) {
    return pipelines.stream().filter(type::isInstance).map(type::cast).findFirst().orElseThrow();
  }

  /** Which exporters have ledgers of their own, and for how long. */
  LedgerQuota ledgers() {
    return collector.quota(store.retention().rows().toNanos() / 1_000);
  }

  /** Names of the pipelines that are jobs of their own, sorted. */
  public List<String> jobNames() {
    return logPipelines().map(Pipeline::name).sorted().toList();
  }

  private Stream<LogPipeline> logPipelines() {
    return pipelines.stream().filter(LogPipeline.class::isInstance).map(LogPipeline.class::cast);
  }

  /**
   * The pipeline of a name that is a job of its own, enabled or not.
   *
   * @throws IllegalArgumentException if there is none; says which there are
   */
  public LogPipeline logPipeline(String name) {
    return logPipelines()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no pipeline "
                        + name
                        + "; there are: "
                        + String.join(", ", jobNames())));
  }

  /** The same with a pipeline in place of the one of its name, or besides. */
  public MillraceConfig with(Pipeline pipeline) {
    List<Pipeline> others = new ArrayList<>(pipelines);
    int place = pipelines.stream().map(Pipeline::name).toList().indexOf(pipeline.name());
    if (place < 0) {
      others.add(pipeline);
    } else {
      others.set(place, pipeline);
    }
    return withPipelines(others);
  }
}
