package io.millrace.server.runtime;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogConfig;
import io.millrace.pipelines.Composition;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.SharedParts;
import io.millrace.pipelines.alerts.AlertsConfig;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.kafka.KafkaEndpoints;
import io.millrace.pipelines.plugins.PluginDirectory;
import io.millrace.pipelines.plugins.PluginsConfig;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Settings of an instance; each section validates its own.
 *
 * @param data directory of log, checkpoints, store and ledger
 * @param collector UDP listeners of flow exporters
 * @param capture packet capture
 * @param log the Kafka log
 * @param job the stream engine
 * @param pipelines settings of the pipelines, each in a section with the name of the pipeline
 * @param store the DuckDB store
 * @param rollups rollups of flows
 * @param http console and API
 * @param flight Arrow Flight SQL
 * @param ingest records of streams
 * @param datasets data sets that flows are joined with, by name
 * @param plugins pipelines from jars
 * @param kafka external topics
 * @param alerts webhook and topic of alerts on hitters, changers and trends
 */
@RecordBuilder
public record MillraceConfig(
    Path data,
    CollectorConfig collector,
    CaptureConfig capture,
    LogConfig log,
    FlinkConfig job,
    List<Pipeline> pipelines,
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

  /** Checks that the sections are consistent. */
  public MillraceConfig {
    DataDirectory.check(data);
    pipelines = List.copyOf(pipelines);
    DatasetDeclaration.toConfigs(datasets);
    flight.check(http);
    checkNames(pipelines);
    for (Pipeline pipeline : pipelines) {
      if (alerts.isOn() && pipeline.resultTopic().equals(alerts.topicName())) {
        throw new IllegalArgumentException(
            "alerts.topic: %s is also the result topic of %s; choose another"
                .formatted(alerts.topicName().orElseThrow(), pipeline.name()));
      }
    }
    if (job.run() == FlinkConfig.Place.CLUSTER && store.listen() == null) {
      throw new IllegalArgumentException(
          "job.run: cluster requires store.listen, the address at which the job reaches the store:"
              + " set store.listen: ADDRESS:PORT");
    }
  }

  private static void checkNames(List<Pipeline> pipelines) {
    Map<String, String> owners = new HashMap<>();
    for (RecordComponent section : MillraceConfig.class.getRecordComponents()) {
      owners.put(section.getName(), "the section " + section.getName());
    }
    for (Pipeline pipeline : pipelines) {
      take(owners, pipeline.name(), pipeline);
    }
    Map<String, String> tables = new HashMap<>();
    for (Pipeline pipeline : pipelines) {
      pipeline.tables().forEach(table -> take(tables, table.name(), pipeline));
      pipeline.views().keySet().forEach(view -> take(tables, view, pipeline));
    }
  }

  private static void take(Map<String, String> owners, String name, Pipeline pipeline) {
    String who = "pipeline %s (%s)".formatted(pipeline.name(), pipeline.getClass().getName());
    String other = owners.putIfAbsent(name, who);
    if (other != null) {
      throw new IllegalArgumentException(
          "%s: the name %s is taken by %s; rename it or remove its jar"
              .formatted(who, name, other));
    }
  }

  /** Defaults of all sections. */
  public static MillraceConfig defaults() {
    return new MillraceConfig(
        Path.of("millrace-data"),
        CollectorConfig.defaults(),
        CaptureConfig.OFF,
        LogConfig.defaults(),
        FlinkConfig.defaults(),
        Pipeline.all(),
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
   * Returns a copy with the pipelines in a directory of jars, with default settings, instead of
   * those of other jars.
   *
   * @throws io.millrace.pipelines.plugins.PluginException if a jar cannot be used
   * @throws IllegalArgumentException if the name of a pipeline is taken
   */
  public MillraceConfig withPlugins(Path jars) {
    List<Pipeline> all = new ArrayList<>(pipelines);
    all.removeAll(PluginDirectory.ofJars(pipelines));
    new PluginDirectory(jars).plugins().forEach(plugin -> all.add(plugin.pipeline()));
    return withSection(plugins.withDirectory(jars)).withPipelines(all);
  }

  /**
   * Returns a copy with another section.
   *
   * @param section the section; replaces the component of its class
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
      throw new LinkageError(e.getMessage(), e); // the members of a public record are accessible
    }
  }

  /** Enabled pipelines, and the pipelines whose jobs they are attached to. */
  public List<Pipeline> running() {
    Set<String> jobs =
        pipelines.stream()
            .filter(Pipeline::enabled)
            .map(Pipeline::jobName)
            .collect(Collectors.toSet());
    return pipelines.stream().filter(each -> each.enabled() || jobs.contains(each.name())).toList();
  }

  /**
   * Parts that the pipelines share, with the pipelines attached to jobs of others.
   *
   * @throws IllegalArgumentException if a pipeline reads rows that no other produces
   */
  public SharedParts shared() {
    return new SharedParts(
        datasets, kafka, Composition.attached(running()), plugins.watermarkDelay(), linkedAlerts());
  }

  private AlertsConfig linkedAlerts() {
    return alerts.console() != null ? alerts : alerts.withConsole(http.url().orElse(null));
  }

  /** Returns a pipeline with its settings. */
  public <P extends Pipeline> P pipeline(Class<P> type) {
    return pipelines.stream().filter(type::isInstance).map(type::cast).findFirst().orElseThrow();
  }

  LedgerQuota ledgers() {
    return collector.quota(store.retention().rows().toNanos() / 1_000);
  }

  /** Names of the pipelines that run as separate jobs, sorted. */
  public List<String> jobNames() {
    return logPipelines().map(Pipeline::name).sorted().toList();
  }

  private Stream<LogPipeline> logPipelines() {
    return pipelines.stream().filter(LogPipeline.class::isInstance).map(LogPipeline.class::cast);
  }

  /**
   * Returns the pipeline of this name that runs as a separate job, enabled or not.
   *
   * @throws IllegalArgumentException if there is none; the message lists the names
   */
  public LogPipeline logPipeline(String name) {
    return logPipelines()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown pipeline "
                        + name
                        + "; expected one of "
                        + String.join(", ", jobNames())));
  }

  /** Returns a copy with this pipeline, which replaces one of the same name. */
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
