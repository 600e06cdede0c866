package io.millrace.server.runtime;

import io.millrace.engine.bridge.TopicBridge;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.job.JobStatusReport;
import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogCluster;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.LogWriter;
import io.millrace.engine.log.RemoteLog;
import io.millrace.pipelines.flows.DatasetDeclaration;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pipelines.flows.LocalStores;
import io.millrace.pipelines.flows.SharedDatasets;
import io.millrace.pipelines.flows.StoreLink;
import io.millrace.pipelines.gateways.GatewayTable;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.pipelines.gateways.TopGateways;
import io.millrace.pipelines.plugins.PluginSet;
import io.millrace.pulse.Pulse;
import io.millrace.server.api.HttpServer;
import io.millrace.server.api.OpenAnswers;
import io.millrace.server.collect.Doctor;
import io.millrace.server.collect.LossLedger;
import io.millrace.server.collect.UdpCollector;
import io.millrace.server.flight.FlightDoor;
import io.millrace.server.ingest.IngestServer;
import io.millrace.server.ingest.ValueLog;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.Store;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.DurableStore;
import io.millrace.store.remote.StoreSecret;
import io.millrace.store.remote.StoreServer;
import io.millrace.wire.block.LedgerQuota;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process that is all of Millrace: collector, log, job, store and the door for questions, wired
 * here and nowhere else.
 *
 * <p>Started again on the same directory it goes on where it stopped. Started once, closed once;
 * what it gives out is thread-safe.
 */
public final class Millrace implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Millrace.class);
  private static final long DRAIN_LOOK_NANOS = 250_000_000;
  private final MillraceConfig config;
  private final Consumer<String> told;
  private final Closers closers = new Closers();
  private DataDirectory directory;
  private PluginSet plugins;
  private Store store;
  private StoreServer door;
  private LogCluster log;
  private EmbeddedFlink flink;
  private Supplier<JobStatusReport> job;
  private EmbeddedJob gateways;
  private LiveRates live;
  private LogWriter writer;
  private LogSpace logSpace;
  private UdpCollector collector;
  private TopicBridge bridge;
  private LossLedger ledger;
  private ExporterList exporters;
  private Replays replays;
  private HttpServer http;
  private volatile FlightDoor flight; // null if it is switched off; made when others may ask
  private IngestServer ingest;
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
    this.told = told;
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
    plugins = PluginSet.load(config.plugins());
    try {
      directory = closers.add(DataDirectory.take(config.data()));
      // The three that take longest do not know each other.
      CompletableFuture<Void> engines =
          CompletableFuture.allOf(
              CompletableFuture.runAsync(this::startLog),
              CompletableFuture.runAsync(this::startFlink));
      try {
        startStore();
        openDatasets();
      } finally {
        await(engines);
      }
      startJob();
      told.accept("the job is submitted");
      startCollector();
      told.accept("the collector listens");
      startBridge();
      startIngest();
      startDoors();
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private static void await(CompletableFuture<Void> engines) {
    try {
      engines.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  private void startStore() throws IOException {
    store =
        closers.add(
            new DurableStore(
                () ->
                    new DuckDbStore(directory.store(), config.store(), config.rollups())
                        .with(ledgers())));
    LocalStores.add(storeName(), store);
    closers.add(() -> LocalStores.remove(storeName()));
    store.table(Store.FLOWS, FlowsPipeline.schema(config.datasets()));
    // Opened here too, so that a wrong schema is told once and not by the job.
    plugins.calls().forEach(plugin -> store.results(plugin.name(), plugin.result()));
    if (config.gateways().enabled()) {
      GatewayTable.open(store);
    }
    told.accept("the store is open (DuckDB)");
    if (config.store().listen() != null) {
      door = closers.add(new StoreServer(store, config.store().listen(), secret()));
      door.start();
    }
  }

  private LedgerQuota ledgers() {
    return config.collector().quota(config.store().retention().rows().toNanos() / 1_000);
  }

  private StoreSecret secret() throws IOException {
    return StoreSecret.readOrMake(config.data().resolve(StoreSecret.FILE_NAME));
  }

  /** Opened before the job is, so that a wrong file is told here, once, and not by restarts. */
  private void openDatasets() throws IOException {
    var configs = DatasetDeclaration.toConfigs(config.datasets());
    var handles = SharedDatasets.acquire(configs);
    closers.add(() -> SharedDatasets.release(configs, handles));
  }

  private void startLog() {
    log =
        config.log().embedded()
            ? new EmbeddedLog(config.log(), directory.log())
            : new RemoteLog(config.log());
    closers.add(log);
    log.start();
    told.accept("the log answers (Kafka, " + log.bootstrapServers() + ")");
  }

  private void startFlink() {
    if (config.job().run() == FlinkConfig.Place.CLUSTER) {
      return;
    }
    int slots =
        config.job().slots() + (config.gateways().enabled() ? config.gateways().slots() : 0);
    flink = closers.add(new EmbeddedFlink(config.job().withSlots(slots), directory.checkpoints()));
    flink.start();
    told.accept("the stream engine is up (Flink)");
  }

  private void startJob() {
    LogTopics topics = new LogTopics(log, config.log());
    ensure(topics, FlowsPipeline.TOPIC);
    FlowsPipeline.ensureDeadLetters(topics);
    KafkaTopics.ensure(config, log);
    job = flink == null ? new JobElsewhere(this::table, door) : submitFlows()::status;
    if (config.gateways().enabled()) {
      ensure(topics, GatewaysPipeline.TOPIC);
      gateways = flink == null ? null : submitGateways();
    }
    live = closers.add(new LiveRates(job, store, () -> table().newestMicros()));
    live.start();
  }

  private static void ensure(LogTopics topics, String topic) {
    topics.ensure(topic).difference().ifPresent(LOG::warn);
  }

  private EmbeddedJob submitFlows() {
    FlowsPipeline pipeline =
        new FlowsPipeline(
            log.bootstrapServers(),
            FlowsPipeline.TOPIC,
            Optional.of(FlowsPipeline.DEAD_LETTERS),
            config.flows(),
            config.datasets(),
            storeLink(),
            Store.FLOWS,
            config.job().slots(),
            config.sink().flushInterval(),
            table().committed(),
            Optional.empty());
    EmbeddedJob submitted =
        flink.submit(
            FlowsPipeline.NAME,
            config.job().slots(),
            plugins.jars(),
            pipeline
                .withPlugins(plugins.calls(), config.plugins().lateness())
                .withOut(KafkaTopics.out(config, log.bootstrapServers())));
    closers.add(() -> submitted.stop(true));
    return submitted;
  }

  private EmbeddedJob submitGateways() {
    EmbeddedJob submitted =
        flink.submit(
            GatewaysPipeline.NAME,
            config.gateways().slots(),
            new GatewaysPipeline(
                log.bootstrapServers(),
                GatewaysPipeline.TOPIC,
                Optional.of(FlowsPipeline.DEAD_LETTERS),
                config.gateways(),
                storeLink(),
                Optional.empty()));
    closers.add(() -> submitted.stop(true));
    return submitted;
  }

  private void startCollector() throws IOException {
    logSpace = config.log().embedded() ? LogSpace.of(directory.log()) : LogSpace.ELSEWHERE;
    writer = closers.add(new LogWriter(log.bootstrapServers(), FlowsPipeline.TOPIC, config.log()));
    collector =
        closers.add(
            new UdpCollector(
                config.collector(),
                ledgers().keepMicros(),
                directory.ledger(),
                new WriterBatchLog(writer, logSpace),
                new LogTail(log.bootstrapServers(), FlowsPipeline.TOPIC)));
    collector.start();
    ledger = new LossLedger(collector::snapshot, new StoredCounts(this::table));
    exporters = closers.add(new ExporterList(ledger::report, store));
    exporters.start();
  }

  private void startBridge() {
    if (!config.kafka().in().enabled()) {
      return;
    }
    LogWriter own =
        closers.add(new LogWriter(log.bootstrapServers(), FlowsPipeline.TOPIC, config.log()));
    bridge =
        closers.add(
            new TopicBridge(
                config.kafka().in(),
                KafkaTopics.bootstrap(config.kafka().in().bootstrap(), log.bootstrapServers()),
                own));
    bridge.start();
  }

  private void startIngest() throws IOException {
    if (config.ingest().listen() == null) {
      return;
    }
    ensure(new LogTopics(log, config.log()), GatewaysPipeline.TOPIC);
    LogWriter records =
        closers.add(new LogWriter(log.bootstrapServers(), GatewaysPipeline.TOPIC, config.log()));
    ingest =
        closers.add(
            new IngestServer(
                config.ingest(),
                ValueLog.of(records),
                log.bootstrapServers(),
                GatewaysPipeline.TOPIC,
                directory.frames()));
    ingest.admit(config.http().hosts());
    ingest.start();
  }

  private void startDoors() throws IOException {
    replays = // closed when nobody can ask for more
        closers.add(
            new Replays(
                config, log.bootstrapServers(), store, storeLink(), directory.root(), plugins));
    http = closers.add(new HttpServer(config.http()));
    MetricsReport metrics =
        new MetricsReport(this, live, () -> Optional.ofNullable(flink).map(EmbeddedFlink::status));
    new ApiRoutes(this, store, config.store(), metrics).addTo(http);
    http.start();
    if (config.flight().enabled()) {
      flight =
          closers.add(
              new FlightDoor(
                  config.flight(),
                  config.http(),
                  store,
                  config.store(),
                  metrics.queries("flight"),
                  http.answers()));
      flight.start();
    }
  }

  /** Who is being answered. */
  OpenAnswers answers() {
    return http.answers();
  }

  /** The name under which the job finds this process's store. */
  private String storeName() {
    return directory.store().toString();
  }

  /** How a job in this process reaches the store. */
  StoreLink storeLink() {
    return new StoreLink.Local(storeName());
  }

  /** The table of flows, with the columns that it has now: a job may add some. */
  public FlowTable table() {
    return store.table(Store.FLOWS, new FlowSchema(List.of()));
  }

  /** Where writers in other processes reach the store; empty if they do not. */
  public Optional<InetSocketAddress> storeAddress() {
    return Optional.ofNullable(door).map(StoreServer::address);
  }

  /** What they have to show there; empty if none reach it. */
  public Optional<StoreSecret> storeSecret() {
    return Optional.ofNullable(door).map(StoreServer::secret);
  }

  /** The settings. */
  public MillraceConfig config() {
    return config;
  }

  /** The store, for questions. */
  public Store store() {
    return store;
  }

  /** The gateways with the greatest totals; empty where none are added up. */
  public Optional<TopGateways> topGateways() {
    return config.gateways().enabled() ? Optional.of(new TopGateways(store)) : Optional.empty();
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
    return Optional.ofNullable(flight).flatMap(FlightDoor::url);
  }

  /** Where gateways send their records; empty if they do not. */
  public Optional<IngestServer> ingest() {
    return Optional.ofNullable(ingest);
  }

  /** What the API answers: method and path with a blank between. */
  Set<String> routes() {
    return http.routes();
  }

  /** The UDP addresses that are bound, as text. */
  public List<String> listening() {
    return collector.addresses().stream().map(Millrace::text).toList();
  }

  private static String text(InetSocketAddress address) {
    InetAddress host = address.getAddress();
    if (host.isAnyLocalAddress()) {
      return "0.0.0.0:" + address.getPort(); // and IPv6's: the socket takes both
    }
    return host instanceof Inet6Address
        ? "[" + host.getHostAddress() + "]:" + address.getPort()
        : host.getHostAddress() + ":" + address.getPort();
  }

  /** The port of the first UDP socket. */
  public int udpPort() {
    return collector.addresses().get(0).getPort();
  }

  /** The checkpoint from which the job went on; empty if it started anew. */
  public Optional<Long> restored() {
    return job.get().restored();
  }

  /** What every exporter sent and what became of it. */
  public LossLedger.Report ledger() {
    return ledger.report();
  }

  /** Rows whose sampling rate nothing told, as of some seconds ago. */
  long unsampledRows() {
    return exporters.unsampledRows();
  }

  /** What the doctor needs to know besides the ledger. */
  public Doctor.Facts facts() {
    return new Doctor.Facts(
        System.currentTimeMillis() * 1_000,
        listening(),
        config.collector().receiveBufferBytes(),
        collector.receiveBufferBytes(),
        collector.kernelTells(),
        Stream.of(
                problems(),
                answers().refusals(),
                ingest().map(IngestServer::refusals).orElse(List.of()))
            .flatMap(List::stream)
            .toList());
  }

  /** What is wrong now, one line each; empty while all is well. */
  List<String> problems() {
    List<String> problems = stopped();
    problems.addAll(collector.check());
    JobStatusReport now = job.get();
    Duration uptime = Duration.ofMillis(System.currentTimeMillis() - startedMillis);
    now.checkpointProblem(config.job().checkpointInterval(), uptime).ifPresent(problems::add);
    if (gateways != null) {
      gateways
          .status()
          .failure()
          .ifPresent(failure -> problems.add("the job of gateways failed: " + failure));
    }
    if (config.gateways().enabled()
        && flink == null
        && door.writers(GatewayTable.DAYS.table()) == 0) {
      problems.add("no job adds up the gateways: " + howToSubmit(GatewaysPipeline.NAME));
    }
    if (now.state().equals(JobElsewhere.ABSENT)) {
      problems.add("no job writes to the store: " + howToSubmit(FlowsPipeline.NAME));
    }
    Optional.ofNullable(flight).flatMap(FlightDoor::problem).ifPresent(problems::add);
    logSpace.problem().ifPresent(problems::add);
    if (!writer.lastFailure().isEmpty()) {
      problems.add("the log refused or lost batches, at last: " + writer.lastFailure());
    }
    bridge()
        .filter(b -> !b.failure().isEmpty())
        .ifPresent(b -> problems.add("kafka.in brings nothing: " + b.failure()));
    return problems;
  }

  /** What does not go on by itself, one line each; empty while all parts are alive. */
  List<String> stopped() {
    List<String> problems = new ArrayList<>();
    for (Pulse pulse : Pulse.all()) {
      pulse.problem().ifPresent(problems::add);
    }
    job.get().failure().ifPresent(failure -> problems.add("the job failed: " + failure));
    store.problem().ifPresent(problems::add);
    return problems;
  }

  private String howToSubmit(String pipeline) {
    return "submit one (millrace submit %s --store %s …), or see the cluster's dashboard"
        .formatted(pipeline, text(door.address()));
  }

  /** How everything is doing now. */
  public Map<String, Object> status() {
    return StatusReport.of(this, job.get(), live);
  }

  /**
   * As above, and in {@code cluster} how the stream engine, its steps and this machine's cores are
   * doing: takes about a third of a second. Without that where the job runs on a cluster, which
   * tells it itself.
   */
  public Map<String, Object> statusWithCluster() {
    Map<String, Object> status = status();
    if (flink != null) {
      status.put("cluster", flink.status().toJson());
    }
    return status;
  }

  /** What brings the messages of others' topics; empty for none. */
  public Optional<TopicBridge> bridge() {
    return Optional.ofNullable(bridge);
  }

  /** How the job is doing now. */
  public JobStatusReport job() {
    return job.get();
  }

  /** When the process was started, milliseconds since the epoch. */
  public long startedMillis() {
    return startedMillis;
  }

  /** Datagrams received since the start. */
  public long datagrams() {
    return writer.counts().offeredRows();
  }

  /** The stretches of the log that are run again. */
  public Replays replays() {
    return replays;
  }

  /** Waits until everything that was received is stored, or the patience is over. */
  public boolean awaitDrained(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    long received = -1;
    while (System.nanoTime() < deadline) {
      boolean stored =
          ledger.report().exporters().stream().allMatch(entry -> entry.inFlight() == 0);
      // What the sockets hold is not received yet: twice the same number says that they are empty.
      if (stored && received == datagrams()) {
        return true;
      }
      received = stored ? datagrams() : -1;
      LockSupport.parkNanos(DRAIN_LOOK_NANOS);
    }
    return false;
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
