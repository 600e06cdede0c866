package io.millrace.server.runtime;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogConfig;
import io.millrace.pipelines.flows.DatasetDeclaration;
import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.pipelines.gateways.GatewaysConfig;
import io.millrace.pipelines.kafka.KafkaDoors;
import io.millrace.pipelines.plugins.PluginsConfig;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.server.flight.FlightConfig;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.store.StoreConfig;
import io.millrace.store.rollup.RollupConfig;
import java.nio.file.Path;
import java.util.Map;

/**
 * All settings of one process; each component checks its own.
 *
 * @param data directory of the log, the checkpoints, the store and the ledger
 * @param collector where datagrams come in
 * @param log where they are kept
 * @param job how they are worked on
 * @param flows how datagrams become flows
 * @param gateways how telemetry of gateways is added up
 * @param sink how rows get into the store
 * @param store where rows are kept
 * @param rollups which sums of them
 * @param http where questions come in
 * @param flight where questions of SQL tools come in
 * @param ingest where records of gateways come in
 * @param datasets what flows are joined with, by name
 * @param plugins what else gets the flows
 * @param kafka topics that bring flows and get them
 */
public record MillraceConfig(
    Path data,
    CollectorConfig collector,
    LogConfig log,
    FlinkConfig job,
    FlowsConfig flows,
    GatewaysConfig gateways,
    SinkConfig sink,
    StoreConfig store,
    RollupConfig rollups,
    HttpConfig http,
    FlightConfig flight,
    IngestConfig ingest,
    Map<String, DatasetDeclaration> datasets,
    PluginsConfig plugins,
    KafkaDoors kafka) {

  /** Checks that the data sets can be meant, and go together, before anything is started. */
  public MillraceConfig {
    DatasetDeclaration.toConfigs(datasets);
    flight.check(http);
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
        LogConfig.defaults(),
        FlinkConfig.defaults(),
        FlowsConfig.defaults(),
        GatewaysConfig.defaults(),
        SinkConfig.DEFAULTS,
        StoreConfig.defaults(),
        RollupConfig.DEFAULT,
        HttpConfig.DEFAULTS,
        FlightConfig.DEFAULTS,
        IngestConfig.OFF,
        Map.of(),
        PluginsConfig.NONE,
        KafkaDoors.NONE);
  }

  /** The same with another data directory. */
  public MillraceConfig withData(Path data) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with another collector. */
  public MillraceConfig withCollector(CollectorConfig collector) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with another log. */
  public MillraceConfig withLog(LogConfig log) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with another store. */
  public MillraceConfig withStore(StoreConfig store) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with other rollups. */
  public MillraceConfig withRollups(RollupConfig rollups) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with another engine. */
  public MillraceConfig withJob(FlinkConfig job) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with another way from datagrams to flows. */
  public MillraceConfig withFlows(FlowsConfig flows) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with other settings for gateways. */
  public MillraceConfig withGateways(GatewaysConfig gateways) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with another HTTP door. */
  public MillraceConfig withHttp(HttpConfig http) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with another door for Arrow Flight SQL. */
  public MillraceConfig withFlight(FlightConfig flight) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with another door for gateways. */
  public MillraceConfig withIngest(IngestConfig ingest) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with other data sets. */
  public MillraceConfig withDatasets(Map<String, DatasetDeclaration> datasets) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with other plugins. */
  public MillraceConfig withPlugins(PluginsConfig plugins) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }

  /** The same with other topics. */
  public MillraceConfig withKafka(KafkaDoors kafka) {
    return new MillraceConfig(
        data, collector, log, job, flows, gateways, sink, store, rollups, http, flight, ingest,
        datasets, plugins, kafka);
  }
}
