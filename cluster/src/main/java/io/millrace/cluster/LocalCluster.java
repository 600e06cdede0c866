package io.millrace.cluster;

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
 * A Flink and Kafka cluster of separate JVMs on this machine, started from the class path of this
 * one.
 *
 * <p>Made without effect, started once. It ends with {@link #close}, with this JVM, and even when
 * this JVM is killed; but for one that was {@link #detach detached}, which goes on until {@link
 * ClusterDirectory#stop}. Starting returns before the processes are ready: {@link #awaitReady}.
 * Thread-safe once it is started.
 */
public final class LocalCluster implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofMillis(500);
  private static final Duration ANSWER = Duration.ofSeconds(2);
  private static final Duration ELECTION = Duration.ofSeconds(20);
  private static final long LOOK_NANOS = 50_000_000;

  /** In a remote call's address, {@code pekko.tcp://flink@HOST:PORT/user/…}. */
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

  /** A cluster on loopback that is not started. */
  public LocalCluster(ClusterConfig config) {
    this(config, Optional.empty());
  }

  /**
   * A cluster that is not started.
   *
   * @param hosts creates the network of the processes' hosts, at the start; empty for loopback
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
   * @throws ClusterException if it cannot be started; nothing of it is left then
   */
  public void start() throws IOException {
    start(true);
  }

  /** Starts the processes, which end with this JVM until they are {@link #detach detached}. */
  public void startDetachable() throws IOException {
    start(false);
  }

  private synchronized void start(boolean endsWithUs) throws IOException {
    if (plan != null) {
      throw new IllegalStateException("the cluster was started already");
    }
    try (FileChannel lock = directory.lock()) {
      if (directory.runs()) {
        throw new ClusterRunsException(
            "a cluster runs in " + directory.root() + " already: stop it, or choose another --dir");
      }
      directory.stopLocked(); // what a crash of the machine has left
      Runtime.getRuntime().addShutdownHook(atExit);
      try {
        network = hosts.map(Supplier::get);
        plan = new ClusterPlan(config, directory, network, endsWithUs);
        addresses = plan.prepare();
        directory.write(addresses);
        for (ProcessRecord record : plan.processes()) {
          launch(record);
        }
      } catch (IOException | RuntimeException e) {
        network.ifPresent(HostNetwork::close);
        directory.stopLocked();
        forgetExit();
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
   * Returns when every process answers: brokers count each other, JobManagers have a leader, and
   * all TaskManagers are registered with it.
   *
   * @throws ClusterException if that takes longer, or a process has ended; with its last words
   */
  public void awaitReady(Duration patience) {
    awaitReady(patience, (process, after) -> {});
  }

  /**
   * As above.
   *
   * @param told each process that has become ready, and how long after the call
   */
  public void awaitReady(Duration patience, BiConsumer<ClusterProcess, Duration> told) {
    long began = System.nanoTime();
    List<ClusterProcess> waiting = new ArrayList<>(processes);
    while (true) {
      for (ClusterProcess process : processes) {
        if (!process.alive()) {
          throw new ClusterException(
              process.name()
                  + " has ended: "
                  + process.lastWords()
                  + "; all of it is in "
                  + process.log());
        }
      }
      Duration after = Duration.ofNanos(System.nanoTime() - began);
      Set<String> ready = ready(waiting);
      waiting.stream()
          .filter(process -> ready.contains(process.name()))
          .forEach(process -> told.accept(process, after));
      waiting.removeIf(process -> ready.contains(process.name()));
      if (waiting.isEmpty()) {
        return;
      }
      if (after.compareTo(patience) > 0) {
        String names = waiting.stream().map(ClusterProcess::name).collect(Collectors.joining(", "));
        throw new ClusterException(
            "not ready within "
                + patience.toSeconds()
                + " s: "
                + names
                + "; "
                + waiting.get(0).lastWords()
                + "; see "
                + directory.logs());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private Set<String> ready(List<ClusterProcess> asked) {
    Set<String> ready = new HashSet<>();
    Set<Role> roles = asked.stream().map(ClusterProcess::role).collect(Collectors.toSet());
    if (roles.contains(Role.BROKER) && brokers().stream().allMatch(LocalCluster::listens)) {
      StandaloneBroker.present(bootstrapServers(), ANSWER)
          .forEach(id -> ready.add(Role.BROKER.processName(id)));
    }
    try {
      if (roles.contains(Role.TASKMANAGER)) {
        rest().taskManagers().stream()
            .filter(registered -> registered.slots() > 0) // has reported them
            .filter(LocalCluster::isNoGhost)
            .forEach(registered -> ready.add(registered.id()));
      }
    } catch (IOException e) {
      // no leader yet
    }
    for (ClusterProcess process : asked) {
      boolean itIs =
          switch (process.role()) {
            case JOBMANAGER -> answers(process);
            case ZOOKEEPER -> listens(process);
            case COMPANION -> true; // the caller knows
            case BROKER, TASKMANAGER -> false; // others tell
          };
      if (itIs) {
        ready.add(process.name());
      }
    }
    return ready;
  }

  /**
   * One that was killed is registered until that is noticed, and what replaces it has its name; but
   * not its port.
   */
  private static boolean isNoGhost(FlinkRest.TaskManager registered) {
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

  /** A TaskManager more, of the same size; it registers by itself. */
  public synchronized ClusterProcess addTaskManager() throws IOException {
    return launch(plan.taskManager());
  }

  /**
   * A process of the caller's own beside them: it has a host like theirs, is killed, frozen and
   * started again like them, and ends with the cluster.
   *
   * @param name of the process, which nobody else has
   * @param jvm options of its JVM
   * @param main class to run, of this JVM's class path
   */
  public synchronized ClusterProcess addCompanion(
      String name, List<String> jvm, String main, List<String> arguments) {
    return launch(plan.companion(name, jvm, main, arguments));
  }

  /** All of them, by role. */
  public List<ClusterProcess> processes() {
    return List.copyOf(processes);
  }

  /** The JobManagers; see {@link #leader}. */
  public List<ClusterProcess> jobManagers() {
    return of(Role.JOBMANAGER);
  }

  /**
   * The JobManager that leads; the only one, where there is but one.
   *
   * @throws IOException if none has been elected for a while
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
        .orElseThrow(() -> new IOException(rest + " leads, which is none of this cluster's"));
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

  /** The one with that name. */
  public ClusterProcess process(String name) {
    return processes.stream()
        .filter(process -> process.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no process is called " + name));
  }

  /** {@code http://HOST:PORT} of each JobManager. */
  public synchronized List<String> restAddresses() {
    return addresses.rest();
  }

  /** {@code http://HOST:PORT} of the first JobManager, which speaks for the one that leads. */
  public String restAddress() {
    return restAddresses().get(0);
  }

  /** A client of them. */
  public FlinkRest rest() {
    return new FlinkRest(restAddresses());
  }

  /** Of the log, {@code HOST:PORT,…}. */
  public synchronized String bootstrapServers() {
    return addresses.bootstrapServers();
  }

  /** URI under which jobs keep checkpoints if they name no other place. */
  public String checkpoints() {
    return config.checkpointsUri().toString();
  }

  /** Its files. */
  public ClusterDirectory directory() {
    return directory;
  }

  /** From now on the processes outlive this JVM. Only for those that were started for it. */
  public synchronized void detach() {
    detached = true;
    forgetExit();
  }

  private void forgetExit() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // it is at work
    }
  }

  private void stopAtExit() {
    try {
      directory.stopLocked();
      network.ifPresent(HostNetwork::close);
    } catch (IOException | RuntimeException e) {
      System.err.println("millrace: the cluster did not stop: " + e.getMessage());
    }
  }

  /** Stops all processes and takes their network away, unless they are detached. */
  @Override
  public synchronized void close() throws IOException {
    if (detached || addresses == null) {
      return;
    }
    forgetExit();
    directory.stop();
    network.ifPresent(HostNetwork::close);
    addresses = null;
  }
}
