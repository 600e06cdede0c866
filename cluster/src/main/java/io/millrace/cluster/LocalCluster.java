package io.millrace.cluster;

import io.millrace.cluster.trino.TrinoNodes;
import io.millrace.engine.job.FlinkLeader;
import io.millrace.engine.job.FlinkRest;
import io.millrace.engine.log.StandaloneBroker;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A Flink and Kafka cluster of separate JVMs on this machine, with this JVM's class path.
 *
 * <p>Start once. The cluster stops at {@link #close} or with this JVM, even if this JVM is killed;
 * a {@linkplain #detach detached} cluster runs until {@link ClusterDirectory#stop}. Starting does
 * not wait until the processes are ready; see {@link #awaitReady}. Thread-safe after the start.
 */
public final class LocalCluster implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofMillis(500);
  private static final Duration ANSWER = Duration.ofSeconds(2);
  private static final Duration ELECTION = Duration.ofSeconds(20);
  private static final long POLL_NANOS = 50_000_000;

  /** Host and port in a Pekko address, {@code pekko.tcp://flink@HOST:PORT/user/…}. */
  private static final Pattern HOST_AND_PORT = Pattern.compile("@([^:/]+):(\\d+)/");

  private final ClusterConfig config;
  private final ClusterDirectory directory;
  private final List<ClusterProcess> processes = new CopyOnWriteArrayList<>();
  private final Thread atExit = new Thread(this::stopAtExit, "millrace-cluster-stop");
  private final Optional<Supplier<? extends HostNetwork>> hosts;
  private Optional<HostNetwork> network = Optional.empty();
  private ClusterPlan plan;
  private ClusterDirectory.Addresses addresses;
  private boolean detached;

  /** Creates a cluster on loopback without starting it. */
  public LocalCluster(ClusterConfig config) {
    this(config, Optional.empty());
  }

  /**
   * Creates a cluster without starting it.
   *
   * @param hosts creates the network with a host per process, at the start; empty for loopback
   */
  public LocalCluster(ClusterConfig config, Optional<Supplier<? extends HostNetwork>> hosts) {
    this.config = config;
    this.hosts = hosts;
    this.directory = new ClusterDirectory(config.directory());
  }

  /**
   * Starts the processes, which end with this JVM.
   *
   * @throws ClusterRunsException if there is a cluster in the directory already
   * @throws ClusterException if the start fails; no process is left running
   */
  public void start() throws IOException {
    start(true);
  }

  /** Starts the processes, which end with this JVM until they are {@link #detach detached}. */
  public void startDetachable() throws IOException {
    start(false);
  }

  private synchronized void start(boolean endsWithParent) throws IOException {
    if (plan != null) {
      throw new IllegalStateException("cluster already started");
    }
    directory.checkVersion(); // before any file is changed
    try (FileChannel lock = directory.lock()) {
      if (directory.runs()) {
        throw new ClusterRunsException(
            "a cluster is running in " + directory.root() + "; stop it, or choose another --dir");
      }
      directory.mark();
      directory.stopLocked(); // deletes records of processes that ended without a stop
      Runtime.getRuntime().addShutdownHook(atExit);
      try {
        network = hosts.map(Supplier::get);
        plan = new ClusterPlan(config, directory, network, endsWithParent);
        addresses = plan.prepare();
        directory.write(addresses);
        for (ProcessRecord record : plan.processes()) {
          launch(record);
        }
      } catch (IOException | RuntimeException e) {
        network.ifPresent(HostNetwork::close);
        directory.stopLocked();
        removeExitHook();
        throw e;
      }
    }
  }

  private ClusterProcess launch(ProcessRecord record) {
    ClusterProcess process = directory.process(record);
    process.start();
    processes.add(process);
    return process;
  }

  /**
   * Waits until every process is ready: brokers form a cluster, JobManagers have a leader, and all
   * TaskManagers are registered.
   *
   * @throws ClusterException on a time-out, or if a process has ended; the message has its last log
   *     lines
   */
  public void awaitReady(Duration timeout) {
    awaitReady(timeout, (process, after) -> {});
  }

  /**
   * Waits as {@link #awaitReady(Duration)} does, and reports progress.
   *
   * @param progress receives each process when it is ready, with the time since the call
   */
  public void awaitReady(Duration timeout, BiConsumer<ClusterProcess, Duration> progress) {
    long began = System.nanoTime();
    List<ClusterProcess> waiting = new ArrayList<>(processes);
    while (true) {
      for (ClusterProcess process : processes) {
        if (!process.alive()) {
          throw new ClusterException(
              process.name() + " has ended: " + process.lastErrors() + "; see " + process.log());
        }
      }
      Duration after = Duration.ofNanos(System.nanoTime() - began);
      Set<String> ready = ready(waiting);
      waiting.stream()
          .filter(process -> ready.contains(process.name()))
          .forEach(process -> progress.accept(process, after));
      waiting.removeIf(process -> ready.contains(process.name()));
      if (waiting.isEmpty()) {
        return;
      }
      if (after.compareTo(timeout) > 0) {
        String names = waiting.stream().map(ClusterProcess::name).collect(Collectors.joining(", "));
        throw new ClusterException(
            "time-out: not ready within "
                + timeout.toSeconds()
                + " s: "
                + names
                + "; "
                + waiting.get(0).lastErrors()
                + "; see "
                + directory.logs());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private Set<String> ready(List<ClusterProcess> processes) {
    Set<String> ready = new HashSet<>();
    Set<Role> roles = processes.stream().map(ClusterProcess::role).collect(Collectors.toSet());
    if (roles.contains(Role.BROKER) && brokers().stream().allMatch(LocalCluster::listens)) {
      StandaloneBroker.present(bootstrapServers(), ANSWER)
          .forEach(id -> ready.add(Role.BROKER.processName(id)));
    }
    try {
      if (roles.contains(Role.TASKMANAGER)) {
        rest().taskManagers().stream()
            .filter(registered -> registered.slots() > 0) // reported by now
            .filter(LocalCluster::isCurrent)
            .forEach(registered -> ready.add(registered.id()));
      }
    } catch (IOException e) {
      // no leader yet
    }
    for (ClusterProcess process : processes) {
      boolean itIs =
          switch (process.role()) {
            case JOBMANAGER -> answers(process);
            case ZOOKEEPER -> listens(process);
            case TRINO -> TrinoNodes.isReady(process.address(), nodes(process));
            case COMPANION -> true; // checked by the caller
            case BROKER, TASKMANAGER -> false; // checked through other processes
          };
      if (itIs) {
        ready.add(process.name());
      }
    }
    return ready;
  }

  /** Number of nodes that this Trino process must know to be ready. */
  private int nodes(ClusterProcess process) {
    return process.name().equals(TrinoNodes.COORDINATOR) ? of(Role.TRINO).size() : 0;
  }

  /**
   * Whether a registered TaskManager is the running one. A killed one stays registered until its
   * time-out, with the name of its replacement and another port.
   */
  private static boolean isCurrent(FlinkRest.TaskManager registered) {
    Matcher place = HOST_AND_PORT.matcher(registered.address());
    return !place.find() || listens(place.group(1), Integer.parseInt(place.group(2)));
  }

  private static boolean answers(ClusterProcess jobManager) {
    try {
      new FlinkRest(List.of("http://" + jobManager.address())).overview();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean listens(ClusterProcess process) {
    int colon = process.address().lastIndexOf(':');
    return listens(
        process.address().substring(0, colon),
        Integer.parseInt(process.address().substring(colon + 1)));
  }

  private static boolean listens(String host, int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), (int) CONNECT.toMillis());
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Starts another TaskManager of the same size, which registers itself. */
  public synchronized ClusterProcess addTaskManager() throws IOException {
    return launch(plan.taskManager());
  }

  /**
   * Adds a process with a host of its own, which can be killed, frozen and restarted like the
   * others, and ends with the cluster.
   *
   * @param name unique name of the process
   * @param jvm JVM options
   * @param main class to run, from this JVM's class path
   */
  public synchronized ClusterProcess addCompanion(
      String name, List<String> jvm, String main, List<String> arguments) {
    return launch(plan.companion(name, jvm, main, arguments));
  }

  /** All processes, sorted by role. */
  public List<ClusterProcess> processes() {
    return List.copyOf(processes);
  }

  /** The JobManagers; see {@link #leader}. */
  public List<ClusterProcess> jobManagers() {
    return of(Role.JOBMANAGER);
  }

  /**
   * The leading JobManager.
   *
   * @throws IOException if no leader is elected in time
   */
  public ClusterProcess leader() throws IOException {
    List<ClusterProcess> managers = jobManagers();
    if (managers.size() == 1) {
      return managers.get(0);
    }
    String rest = FlinkLeader.restAddress(directory.conf(), ELECTION);
    return managers.stream()
        .filter(manager -> rest.equals("http://" + manager.address()))
        .findFirst()
        .orElseThrow(
            () -> new IOException(rest + " leads, but is not a JobManager of this cluster"));
  }

  /** The TaskManagers. */
  public List<ClusterProcess> taskManagers() {
    return of(Role.TASKMANAGER);
  }

  /** The Kafka brokers. */
  public List<ClusterProcess> brokers() {
    return of(Role.BROKER);
  }

  private List<ClusterProcess> of(Role role) {
    return processes.stream().filter(process -> process.role() == role).toList();
  }

  /** The process of that name. */
  public ClusterProcess process(String name) {
    return processes.stream()
        .filter(process -> process.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown process " + name));
  }

  /** REST address, {@code http://HOST:PORT}, of each JobManager. */
  public synchronized List<String> restAddresses() {
    return addresses.rest();
  }

  /**
   * REST address, {@code http://HOST:PORT}, of the first JobManager, which forwards to the leader.
   */
  public String restAddress() {
    return restAddresses().get(0);
  }

  /** Creates a client of the JobManagers' REST API. */
  public FlinkRest rest() {
    return new FlinkRest(restAddresses());
  }

  /** Bootstrap servers of the log, {@code HOST:PORT,…}. */
  public synchronized String bootstrapServers() {
    return addresses.bootstrapServers();
  }

  /** URL of the Trino coordinator; empty without Trino. */
  public Optional<String> trino() {
    return ClusterDirectory.trino(processes());
  }

  /** Default checkpoint URI of jobs. */
  public String checkpoints() {
    return config.checkpointsUri().toString();
  }

  /** Files of the cluster. */
  public ClusterDirectory directory() {
    return directory;
  }

  /** Lets the processes outlive this JVM. Requires {@link #startDetachable}. */
  public synchronized void detach() {
    detached = true;
    removeExitHook();
  }

  private void removeExitHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // the process is being created
    }
  }

  private void stopAtExit() {
    try {
      directory.stopLocked();
      network.ifPresent(HostNetwork::close);
    } catch (IOException | RuntimeException e) {
      System.err.println("millrace: failed to stop the cluster: " + e.getMessage());
    }
  }

  /** Stops all processes and removes their network, unless they are detached. */
  @Override
  public synchronized void close() throws IOException {
    if (detached || addresses == null) {
      return;
    }
    removeExitHook();
    directory.stop();
    network.ifPresent(HostNetwork::close);
    addresses = null;
  }
}
