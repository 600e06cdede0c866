package io.millrace.cluster;

import io.millrace.cluster.trino.TrinoNodes;
import io.millrace.engine.job.FlinkZooKeeper;
import io.millrace.engine.job.StandaloneFlink;
import io.millrace.engine.job.StandaloneFlink.HighAvailability;
import io.millrace.engine.job.StandaloneFlink.JobManagerAddress;
import io.millrace.engine.job.TaskManagerMemory;
import io.millrace.engine.log.BrokerNode;
import io.millrace.engine.log.StandaloneBroker;
import io.millrace.pulse.ChildMain;
import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.StateFile;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

final class ClusterPlan {
  private static final int REST_PORT = 8081;
  private static final int RPC_PORT = 6123;
  private static final int BROKER_PORT = 9092;
  private static final int CONTROLLER_PORT = 9093;
  private static final int ZOOKEEPER_PORT = 2181;

  private final ClusterConfig config;
  private final ClusterDirectory directory;
  private final Optional<HostNetwork> network;
  private final boolean endsWithParent;
  private final Ports ports;
  private final List<ProcessRecord> processes = new ArrayList<>();
  private int taskManagers;

  /**
   * @param endsWithParent whether the processes end with this JVM, even if it is killed
   */
  ClusterPlan(
      ClusterConfig config,
      ClusterDirectory directory,
      Optional<HostNetwork> network,
      boolean endsWithParent) {
    this.config = config;
    this.directory = directory;
    this.network = network;
    this.endsWithParent = endsWithParent;
    this.ports = new Ports(config.basePort());
  }

  ClusterDirectory.Addresses prepare() throws IOException {
    for (Path needed :
        List.of(directory.conf(), directory.run(), directory.logs(), directory.data())) {
      Files.createDirectories(needed);
    }
    List<JobManagerAddress> jobManagers = new ArrayList<>();
    for (int i = 1; i <= config.jobManagers(); i++) {
      String name = Role.JOBMANAGER.processName(i);
      String host = host(name);
      int rest = port(name, REST_PORT);
      jobManagers.add(new JobManagerAddress(host, port(name, RPC_PORT), rest));
    }
    Optional<HighAvailability> availability =
        config.highlyAvailable() ? Optional.of(zooKeeper()) : Optional.empty();
    String bootstrapServers = brokers();
    StandaloneFlink.writeConfiguration(
        directory.conf(),
        config.flink(),
        config.checkpointsUri(),
        taskManagerMemory(),
        jobManagers.get(0),
        availability);
    for (int i = 1; i <= config.jobManagers(); i++) {
      jobManager(Role.JOBMANAGER.processName(i), jobManagers.get(i - 1));
    }
    for (int i = 1; i <= config.taskManagers(); i++) {
      taskManager();
    }
    if (config.trino().isPresent()) {
      trino(new TrinoNodes(config.trino().get(), ports::take));
    }
    return new ClusterDirectory.Addresses(
        jobManagers.stream().map(JobManagerAddress::rest).toList(),
        bootstrapServers,
        config.checkpointsUri().toString());
  }

  List<ProcessRecord> processes() {
    return List.copyOf(processes);
  }

  private HighAvailability zooKeeper() throws IOException {
    String name = Role.ZOOKEEPER.processName(1);
    String host = host(name);
    int port = port(name, ZOOKEEPER_PORT);
    List<String> arguments =
        FlinkZooKeeper.prepare(
            directory.conf().resolve(name + ".properties"),
            directory.root(),
            directory.data().resolve(name),
            host,
            port);
    add(
        name,
        Role.ZOOKEEPER,
        host + ":" + port,
        smallJvm(config.memory().zooKeeper()),
        FlinkZooKeeper.MAIN,
        arguments);
    Path storage = Files.createDirectories(directory.data().resolve("jobmanagers"));
    return new HighAvailability(host + ":" + port, storage);
  }

  private String brokers() throws IOException {
    List<BrokerNode> nodes = new ArrayList<>();
    for (int i = 1; i <= config.brokers(); i++) {
      String name = Role.BROKER.processName(i);
      String host = host(name);
      int port = port(name, BROKER_PORT);
      nodes.add(new BrokerNode(i, host, port, port(name, CONTROLLER_PORT)));
    }
    String clusterId = clusterId();
    for (BrokerNode node : nodes) {
      String name = Role.BROKER.processName(node.id());
      Path options = directory.conf().resolve(name + ".properties");
      StandaloneBroker.prepare(
          directory.root(), directory.data().resolve(name), options, node, nodes, clusterId);
      long heap = config.memory().broker();
      add(
          name,
          Role.BROKER,
          node.address(),
          List.of("-Xms" + heap, "-Xmx" + heap, "-XX:+UseParallelGC"),
          StandaloneBroker.MAIN,
          List.of(options.toString()));
    }
    return nodes.stream().map(BrokerNode::address).collect(Collectors.joining(","));
  }

  /**
   * Cluster id of the log. With existing data, the id and the number of brokers must not change.
   */
  private String clusterId() throws IOException {
    Path file = directory.data().resolve("brokers");
    if (Files.exists(file)) {
      String[] kept = Files.readString(file, StandardCharsets.ISO_8859_1).strip().split(" ", -1);
      if (kept.length != 2) {
        throw new ClusterException(
            file
                + " is damaged: write the cluster.id of "
                + directory.data().resolve(Role.BROKER.processName(1)).resolve("meta.properties")
                + ", a space and the number of brokers into it");
      }
      if (!kept[1].equals(Integer.toString(config.brokers()))) {
        throw new ClusterException(
            "brokers: the log in "
                + directory.data()
                + " was created with "
                + kept[1]
                + " brokers; start as many, or delete the directory");
      }
      return kept[0];
    }
    String id = StandaloneBroker.newClusterId();
    StateFile.replace(
        file, (id + " " + config.brokers() + "\n").getBytes(StandardCharsets.US_ASCII));
    return id;
  }

  private void jobManager(String name, JobManagerAddress address) throws IOException {
    Path scratch = relative(Files.createDirectories(directory.scratch(name)));
    add(
        name,
        Role.JOBMANAGER,
        address.host() + ":" + address.restPort(),
        smallJvm(config.memory().jobManager()),
        StandaloneFlink.JOB_MANAGER,
        StandaloneFlink.jobManagerArguments(directory.conf(), name, address, scratch));
  }

  ProcessRecord taskManager() throws IOException {
    taskManagers++;
    String name = Role.TASKMANAGER.processName(taskManagers);
    String host = host(name);
    Path scratch = relative(Files.createDirectories(directory.scratch(name)));
    List<String> jvm = new ArrayList<>(taskManagerMemory().jvmOptions());
    jvm.add("-XX:+UseParallelGC");
    return add(
        name,
        Role.TASKMANAGER,
        host,
        jvm,
        StandaloneFlink.TASK_MANAGER,
        StandaloneFlink.taskManagerArguments(directory.conf(), name, host, scratch));
  }

  /** Adds Trino on the loopback of this machine, where the instance is whose tables it reads. */
  private void trino(TrinoNodes trino) {
    for (TrinoNodes.Node node : trino.nodes()) {
      List<String> command = new ArrayList<>(session());
      command.addAll(node.command());
      processes.add(
          new ProcessRecord(node.name(), Role.TRINO, "localhost", node.address(), command, 0, 0));
    }
  }

  /**
   * Prefix that starts a process in its own session: Ctrl-C in the terminal stops only the parent.
   */
  private static List<String> session() {
    return isThere("setsid") ? List.of("setsid") : List.of();
  }

  ProcessRecord companion(String name, List<String> jvm, String main, List<String> arguments) {
    return add(name, Role.COMPANION, host(name), jvm, main, arguments);
  }

  private TaskManagerMemory taskManagerMemory() {
    return new TaskManagerMemory(config.memory().taskManager(), config.flink().networkBytes());
  }

  /**
   * Options for processes that load many classes and compute little: C1 only, for a faster start.
   */
  private static List<String> smallJvm(long heap) {
    return List.of("-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
  }

  private String host(String process) {
    return network
        .map(
            hosts -> {
              hosts.add(process);
              return hosts.address(process);
            })
        .orElse("127.0.0.1");
  }

  private int port(String process, int ofItsOwnHost) {
    return network.isPresent() ? ofItsOwnHost : ports.take(process);
  }

  private ProcessRecord add(
      String name,
      Role role,
      String address,
      List<String> jvm,
      String main,
      List<String> arguments) {
    List<String> command = new ArrayList<>();
    network.ifPresent(hosts -> command.addAll(hosts.prefix(name)));
    command.addAll(session());
    command.add(ChildProcess.jdk("java"));
    command.addAll(jvm);
    command.addAll(ChildProcess.classArchive());
    command.add("-XX:+ExitOnOutOfMemoryError");
    command.add("-XX:ErrorFile=" + relative(directory.logs().resolve(name + "-crash.log")));
    command.add("-Dfile.encoding=UTF-8");
    command.add("-Dlog.file=" + relative(directory.logs().resolve(name + ".log")));
    command.add("-Dlogback.configurationFile=io/millrace/cluster/logback-cluster.xml");
    StandaloneFlink.OPENED_PACKAGES.forEach(
        opened -> command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED"));
    command.add("-cp");
    command.add(classPath());
    command.addAll(endsWithParent ? ChildMain.of(main) : ChildMain.detached(main));
    command.addAll(arguments);
    String host = network.map(hosts -> hosts.host(name)).orElse("localhost");
    ProcessRecord record = new ProcessRecord(name, role, host, address, command, 0, 0);
    processes.add(record);
    return record;
  }

  private Path relative(Path path) {
    return directory.root().relativize(path);
  }

  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static boolean isThere(String command) {
    String path = System.getenv("PATH");
    return path != null
        && Arrays.stream(path.split(File.pathSeparator, -1))
            .anyMatch(place -> Files.isExecutable(Path.of(place, command)));
  }
}
