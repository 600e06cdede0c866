package io.millrace.server.runtime;

import io.millrace.engine.job.ClusterStatus;
import io.millrace.engine.job.JobStatusReport;
import io.millrace.engine.log.LogCluster;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.SharedParts;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.datasets.DatasetWatch;
import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.pipelines.plugins.PluginPipeline;
import io.millrace.pipelines.plugins.PluginSet;
import io.millrace.server.api.HttpServer;
import io.millrace.server.collect.Doctor;
import io.millrace.server.collect.LossLedger;
import io.millrace.server.flight.FlightListener;
import io.millrace.server.imports.FileImports;
import io.millrace.server.ingest.IngestServer;
import io.millrace.server.replay.Replays;
import io.millrace.store.FlowTable;
import io.millrace.store.Store;
import io.millrace.store.remote.StoreSecret;
import io.millrace.store.remote.StoreServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process that is all of Millrace: collector, log, job, store and the listeners for questions,
 * wired here and nowhere else.
 *
 * <p>Started again on the same directory it goes on where it stopped. Started once, closed once;
 * what it gives out is thread-safe.
 */
public final class Millrace implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Millrace.class);

  /** Uploaded files, below the data directory. */
  private static final String IMPORTS = "imports";

  private final MillraceConfig config;
  private final Consumer<String> told;
  private final ClusterWatch clusterWatch = new ClusterWatch();
  private final Closers closers = new Closers();
  private DataDirectory directory;
  private List<Pipeline> pipelines;
  private SharedParts shared;
  private Jobs jobs;
  private OpenStore store;
  private LogCluster log;
  private LiveRates live;
  private OpenDatasets datasets;
  private FileImports imports;
  private Inputs inputs;
  private Replays replays;
  private HttpServer http;
  private Health health;
  private volatile FlightListener flight; // null if it is switched off; made when others may ask
  private volatile String stage = "the store is being opened"; // while it starts
  private long startedMillis;

  /** A process that is not started yet. */
  public Millrace(MillraceConfig config) {
    this(config, stage -> {});
  }

  /**
   * A process that is not started yet.
   *
   * @param told what is ready, while it starts; by several threads
   */
  public Millrace(MillraceConfig config, Consumer<String> told) {
    this.config = config;
    this.told =
        said -> {
          stage = said;
          told.accept(said);
        };
  }

  /**
   * Looks whether a process could listen where its configuration says; makes nothing.
   *
   * @throws IOException if not; says where
   */
  public static void checkPorts(MillraceConfig config) throws IOException {
    PortCheck.check(config);
  }

  /**
   * Starts everything, in the order in which data flows back: first the store, last the collector.
   *
   * @throws IOException if something does not start; says what, and nothing is left running
   */
  public void start() throws IOException {
    startedMillis = System.currentTimeMillis();
    checkPorts(config);
    List<PluginPipeline> plugins = PluginSet.load(config.plugins()).pipelines();
    pipelines = config.running(plugins);
    shared = config.shared(plugins);
    jobs = new Jobs(config.job(), pipelines);
    try {
      datasets = new OpenDatasets(config.datasets(), closers); // a wrong file is told at once
      directory = closers.add(DataDirectory.take(config.data()));
      answerWhileStarting();
      directory.warning().ifPresent(LOG::warn);
      Engines engines = new Engines(config.log(), directory, jobs, told, closers);
      try {
        store = new OpenStore(config, directory.store(), pipelines, closers);
        told.accept("the store is open (DuckDB)");
        openImports();
      } finally {
        log = engines.await();
      }
      startJobs();
      if (jobs.areHere()) {
        told.accept("the job is submitted");
      }
      inputs = new Inputs(config, log.bootstrapServers(), closers);
      inputs.startCollector(directory, store.store(), this::table);
      startCapture();
      told.accept("the collector listens");
      inputs.startBridge(directory);
      startIngest();
      startListeners();
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Opening a large store takes a while, in which a probe must not find the process dead. */
  private void answerWhileStarting() throws IOException {
    http = closers.add(new HttpServer(config.http()));
    ApiRoutes.addStarting(http, () -> stage, startedMillis);
    http.start();
  }

  private void startJobs() {
    jobs.start(log, config.log(), shared, store, this::run, closers);
    datasets.watch(log.bootstrapServers(), closers);
    live =
        closers.add(new LiveRates(jobs::statuses, store.store(), () -> figures().newestMicros()));
    live.start();
  }

  /** Takes back what unfinished imports have stored, while no job writes. */
  private void openImports() throws IOException {
    imports =
        new FileImports(
            directory.root().resolve(IMPORTS),
            store.store(),
            pipelines.stream()
                .filter(FlowsPipeline.class::isInstance)
                .map(pipeline -> ((FlowsPipeline) pipeline).config())
                .findFirst()
                .orElseGet(FlowsConfig::defaults),
            FlowsPipeline.schema(config.datasets()),
            DatasetDeclaration.toConfigs(config.datasets()),
            Clock.systemUTC());
  }

  private Run run(int parallelism) {
    return Run.live(log.bootstrapServers(), store.link(), shared, parallelism);
  }

  /** The topic is there also where no job reads it. */
  private void startCapture() throws IOException {
    if (!config.capture().interfaces().isEmpty()) {
      CountPipeline.defaults().ensureTopics(log, config.log(), shared).forEach(LOG::warn);
      inputs.startCapture();
    }
  }

  /** The topic is there also where no job adds up what comes. */
  private void startIngest() throws IOException {
    if (config.ingest().listen() != null) {
      GatewaysPipeline.defaults().ensureTopics(log, config.log(), shared).forEach(LOG::warn);
      inputs.startIngest(directory, streams().filter(RecordStream::isTaken).toList());
    }
  }

  private Stream<RecordStream> streams() {
    return jobs.pipelines().stream().flatMap(pipeline -> pipeline.streams().stream());
  }

  private void startListeners() throws IOException {
    imports.start();
    closers.add(imports);
    replays = // closed when nobody can ask for more
        closers.add(
            new Replays(
                pipelines,
                run(1),
                store.store(),
                config.job(),
                directory.root(),
                config.store().retention().replays()));
    closers.add(http); // no answers are given once what is asked for is being closed
    health = new Health(config, store, jobs, inputs, http, () -> flight);
    MetricsReport metrics = new MetricsReport(this, live);
    new ApiRoutes(this, store.store(), config, metrics).addTo(http);
    http.serve();
    if (config.flight().enabled()) {
      flight =
          closers.add(
              new FlightListener(
                  config.flight(),
                  config.http(),
                  store.store(),
                  config.store(),
                  metrics.queries("flight"),
                  http.answers()));
      flight.start();
    }
  }

  /** The table of flows, with the columns that it has now: a job may add some. */
  public FlowTable table() {
    return store.flows();
  }

  /** Where writers in other processes reach the store; empty if they do not. */
  public Optional<InetSocketAddress> storeAddress() {
    return store.listener().map(StoreServer::address);
  }

  /** What they have to show there; empty if none reach it. */
  public Optional<StoreSecret> storeSecret() {
    return store.listener().map(StoreServer::secret);
  }

  /** How the data sets are doing. */
  public List<DatasetWatch.Status> datasets() {
    return datasets.status();
  }

  /** What status and metrics say of the store. */
  StoreFigures figures() {
    return store.figures();
  }

  /** The settings. */
  public MillraceConfig config() {
    return config;
  }

  /** The store, for questions. */
  public Store store() {
    return store.store();
  }

  /** The pipelines that run, with those of plugins. */
  public List<Pipeline> pipelines() {
    return pipelines;
  }

  /** Bootstrap servers of the log. */
  public String bootstrapServers() {
    return log.bootstrapServers();
  }

  /** The address of the dashboard and the API. */
  public String url() {
    return http.url();
  }

  /** Where Arrow Flight SQL is spoken; empty if it is not, or not yet. */
  public Optional<String> flightUrl() {
    return Optional.ofNullable(flight).flatMap(FlightListener::url);
  }

  /** Where gateways send their records; empty if they do not. */
  public Optional<IngestServer> ingest() {
    return inputs.ingest();
  }

  /** The UDP addresses that are bound, as text. */
  public List<String> listening() {
    return inputs.listening();
  }

  /** The port of the first UDP socket. */
  public int udpPort() {
    return inputs.collector().addresses().get(0).getPort();
  }

  /** What every exporter sent and what became of it. */
  public LossLedger.Report ledger() {
    return inputs.ledger();
  }

  /** What the doctor needs to know besides the ledger. */
  public Doctor.Facts facts() {
    return health.facts();
  }

  /** How everything is doing now. */
  public Map<String, Object> status() {
    return StatusReport.of(this, job(), live);
  }

  /**
   * As above, and in {@code cluster} how the stream engine, its steps and this machine's cores are
   * doing, and in {@code advice} what to do about it: takes about a third of a second. Without
   * these where the job runs on a cluster, which tells it itself.
   */
  public Map<String, Object> statusWithCluster() {
    Map<String, Object> status = status();
    jobs.engine()
        .ifPresent(
            flink -> {
              ClusterStatus cluster = flink.status();
              status.put("cluster", cluster.toJson());
              status.put("advice", clusterWatch.advise(cluster).toJson());
            });
    return status;
  }

  /** How the job of flows is doing now. */
  public JobStatusReport job() {
    return jobs.status(FlowsPipeline.NAME);
  }

  Jobs jobs() {
    return jobs;
  }

  Inputs inputs() {
    return inputs;
  }

  HttpServer http() {
    return http;
  }

  Health health() {
    return health;
  }

  /** When the process was started, milliseconds since the epoch. */
  public long startedMillis() {
    return startedMillis;
  }

  /** Datagrams received since the start. */
  public long datagrams() {
    return inputs.datagrams();
  }

  /** Files of the past that are imported. */
  public FileImports imports() {
    return imports;
  }

  /** The stretches of the log that are run again. */
  public Replays replays() {
    return replays;
  }

  /** Waits until everything that was received is stored, or the patience is over. */
  public boolean awaitDrained(Duration patience) {
    return inputs.awaitDrained(patience);
  }

  /** The data directory. */
  public Path data() {
    return directory.root();
  }

  /** Stops in the order in which data flows, so that what was received is kept. */
  @Override
  public void close() {
    closers.closeAll();
  }
}
