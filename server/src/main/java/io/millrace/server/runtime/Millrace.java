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
import io.millrace.pulse.DataVersion;
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
 * An instance in one process: collector, log, jobs, store and API listeners, which are wired only
 * here.
 *
 * <p>A new instance on the same data directory resumes where the last one stopped. Start once,
 * close once; returned objects are thread-safe.
 */
public final class Millrace implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Millrace.class);

  private static final String IMPORTS = "imports";

  private final MillraceConfig config;
  private final Consumer<String> progress;
  private final ClusterWatch clusterWatch = new ClusterWatch();
  private final QueryTimes queryTimes = new QueryTimes();
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
  private volatile Inputs inputs; // null during the start
  private Replays replays;
  private HttpServer http;
  private Health health;
  private volatile FlightListener flight; // null if disabled or not started
  private volatile String stage = "opening the store"; // progress of the start
  private long startedMillis;

  /** Creates an instance without starting it. */
  public Millrace(MillraceConfig config) {
    this(config, stage -> {});
  }

  /**
   * Creates an instance without starting it.
   *
   * @param progress receives a line when a part is ready; called by several threads
   */
  public Millrace(MillraceConfig config, Consumer<String> progress) {
    this.config = config;
    this.progress =
        said -> {
          stage = said;
          progress.accept(said);
        };
  }

  /**
   * Checks that the configured addresses can be bound, and releases them.
   *
   * @throws IOException if one cannot; the message names it
   */
  public static void checkPorts(MillraceConfig config) throws IOException {
    PortCheck.check(config);
  }

  /**
   * Starts all parts, from the store upstream to the collector.
   *
   * @throws IOException if a part fails to start; nothing is left running
   */
  public void start() throws IOException {
    startedMillis = System.currentTimeMillis();
    checkPorts(config);
    pipelines = config.running();
    shared = config.shared();
    jobs = new Jobs(config.job(), pipelines);
    try {
      datasets =
          new OpenDatasets(config.datasets(), closers); // first, to report invalid files early
      directory = closers.add(DataDirectory.open(config.data()));
      serveProbes();
      directory.warning().ifPresent(LOG::warn);
      store = new OpenStore(config, directory.store(), pipelines, closers);
      progress.accept("store open (DuckDB)");
      serveQueries(); // before starting the other parts, which takes longer
      Engines engines = new Engines(config.log(), directory, jobs, progress, closers);
      try {
        openImports();
      } finally {
        log = engines.await();
      }
      startJobs();
      if (jobs.areHere()) {
        progress.accept("job submitted");
      }
      inputs = new Inputs(config, log.bootstrapServers(), closers);
      inputs.startCollector(directory, store.store(), this::table);
      startCapture();
      progress.accept("collector listening");
      inputs.startBridge(directory);
      startIngest();
      startListeners();
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Serves liveness probes, which must succeed while a large store is opened. */
  private void serveProbes() throws IOException {
    http = closers.add(new HttpServer(config.http()).rejectUntilReady());
    ApiRoutes.addStarting(http, () -> stage, startedMillis);
    http.start();
  }

  /** Serves queries on stored rows, long before the log and the engine run. */
  private void serveQueries() {
    closers.add(http); // stop serving before the store closes
    ApiRoutes.addQueries(
        http,
        store.queries(),
        config.store(),
        directory.store(),
        queryTimes,
        () -> inputs == null ? 0 : inputs.unsampledRows());
  }

  private void startJobs() {
    jobs.start(log, config.log(), shared, store, this::run, closers);
    datasets.watch(log.bootstrapServers(), closers);
    live =
        closers.add(new LiveRates(jobs::statuses, store.store(), () -> figures().newestMicros()));
    live.start();
  }

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

  private void startCapture() throws IOException {
    if (!config.capture().interfaces().isEmpty()) {
      new CountPipeline().ensureTopics(log, config.log(), shared).forEach(LOG::warn);
      inputs.startCapture();
    }
  }

  private void startIngest() throws IOException {
    if (config.ingest().listen() != null) {
      inputs.startIngest(directory, streams().filter(RecordStream::isIngested).toList());
    }
  }

  private Stream<RecordStream> streams() {
    return pipelines.stream().flatMap(pipeline -> pipeline.streams().stream()).distinct();
  }

  private void startListeners() throws IOException {
    imports.start();
    closers.add(imports);
    replays = // closed after the HTTP server
        closers.add(
            new Replays(
                pipelines,
                run(1),
                store.store(),
                config.job(),
                directory.root(),
                config.store().retention().replays()));
    closers.add(http); // stop serving before the parts close
    health = new Health(config, store, jobs, inputs, http, () -> flight);
    MetricsReport metrics = new MetricsReport(this, live, queryTimes);
    new ApiRoutes(this, store.store(), config, metrics).addTo(http);
    http.setReady();
    if (config.flight().enabled()) {
      flight =
          closers.add(
              new FlightListener(
                  config.flight(),
                  config.http(),
                  store.queries(),
                  config.store(),
                  queryTimes.of("flight"),
                  http.admission()));
      flight.start();
    }
  }

  /** Table of flows, with its current columns; a job may add some. */
  public FlowTable table() {
    return store.flows();
  }

  /** Address of the store for writers in other processes; empty if disabled. */
  public Optional<InetSocketAddress> storeAddress() {
    return store.listener().map(StoreServer::address);
  }

  /** Secret with which these writers authenticate; empty if disabled. */
  public Optional<StoreSecret> storeSecret() {
    return store.listener().map(StoreServer::secret);
  }

  /** States of the data sets. */
  public List<DatasetWatch.Status> datasets() {
    return datasets.status();
  }

  StoreFigures figures() {
    return store.figures();
  }

  /** Settings of the instance. */
  public MillraceConfig config() {
    return config;
  }

  /** Store with the embedded engine. */
  public Store store() {
    return store.store();
  }

  /** Enabled pipelines, including plugins. */
  public List<Pipeline> pipelines() {
    return pipelines;
  }

  /** Bootstrap servers of the log. */
  public String bootstrapServers() {
    return log.bootstrapServers();
  }

  /** URL of the console and the API. */
  public String url() {
    return http.url();
  }

  /** URL of Arrow Flight SQL; empty if disabled or not started. */
  public Optional<String> flightUrl() {
    return Optional.ofNullable(flight).flatMap(FlightListener::url);
  }

  /** Listener for records of streams; empty if disabled. */
  public Optional<IngestServer> ingest() {
    return inputs.ingest();
  }

  /** Bound UDP addresses, as text. */
  public List<String> listening() {
    return inputs.listening();
  }

  /** Port of the first UDP socket. */
  public int udpPort() {
    return inputs.collector().addresses().get(0).getPort();
  }

  /** Loss ledger: datagrams of each exporter by outcome. */
  public LossLedger.Report ledger() {
    return inputs.ledger();
  }

  /**
   * Makes a copy of the store ({@link Store#backUp}), and adds the version of the data directory
   * and the collector's ledger as the files {@code version} and {@code ledger}. The ledger is
   * written after the copy, so that it includes all stored datagrams.
   */
  Path backUp() throws IOException {
    Path folder = store.store().backUp();
    inputs.saveLedger(folder.resolve("ledger"));
    DataVersion.CURRENT.write(folder);
    return folder;
  }

  /** Inputs of {@link Doctor} in addition to the ledger. */
  public Doctor.Facts facts() {
    return health.facts();
  }

  /** State of all parts. */
  public Map<String, Object> status() {
    return StatusReport.of(this, job(), live);
  }

  /**
   * {@link #status} with {@code cluster}, the state of the engine, its operators and the cores, and
   * {@code advice}. Takes about a third of a second. Both are missing if the jobs run on a cluster.
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

  /** Status of the job that stores flows. */
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

  /** Start time of the process, milliseconds since the epoch. */
  public long startedMillis() {
    return startedMillis;
  }

  /** Datagrams received since the start. */
  public long datagrams() {
    return inputs.datagrams();
  }

  /** Imports of files. */
  public FileImports imports() {
    return imports;
  }

  /** Replays of ranges of the log. */
  public Replays replays() {
    return replays;
  }

  /**
   * Waits until all received data is stored, or the time-out has passed.
   *
   * @return whether all is stored
   */
  public boolean awaitDrained(Duration timeout) {
    return inputs.awaitDrained(timeout);
  }

  /** The data directory. */
  public Path data() {
    return directory.root();
  }

  /** Store with the engine for queries of users. */
  public Store queries() {
    return store.queries();
  }

  /** Stops the parts in the order of the data flow, so that received data is stored. */
  @Override
  public void close() {
    closers.closeAll();
  }
}
