package io.millrace.cli.cluster;

import io.millrace.cli.config.Units;
import io.millrace.cli.console.Terminal;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.print.ShellWord;
import io.millrace.cluster.ClusterConfig;
import io.millrace.cluster.ClusterDirectory;
import io.millrace.cluster.ClusterException;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.ClusterRunsException;
import io.millrace.cluster.LocalCluster;
import io.millrace.engine.job.FlinkConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.LongFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "start",
    description =
        "Start JobManagers, TaskManagers and Kafka brokers as separate processes from this jar, "
            + "and return when all are ready. They run until millrace cluster stop. A cluster "
            + "restarted on the same directory keeps its log.",
    footer = {
      "",
      "  millrace cluster start",
      "  millrace cluster start --job-managers 2 --brokers 3",
      "  millrace cluster start --trino",
      "  millrace cluster start --only taskmanager-2"
    })
final class ClusterStartCommand implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  @Spec private CommandSpec spec;
  @Mixin private ClusterDirectoryOption place;

  @Option(
      names = "--task-managers",
      paramLabel = "N",
      description = "Number of TaskManagers; 2 by default.")
  private int taskManagers = 2;

  @Option(
      names = "--slots",
      paramLabel = "N",
      description = "Slots of each TaskManager; 2 by default.")
  private int slots = 2;

  @Option(
      names = "--job-managers",
      paramLabel = "N",
      description =
          "Number of JobManagers; 1 by default. With more, ZooKeeper is started too; one leads "
              + "and the others are standbys.")
  private int jobManagers = 1;

  @Option(
      names = "--brokers",
      paramLabel = "N",
      description =
          "Number of Kafka brokers, 1 to 3; 1 by default. Each has a replica of every partition. "
              + "With three, one may fail.")
  private int brokers = 1;

  @Option(
      names = "--task-manager-memory",
      paramLabel = "SIZE",
      description = "Heap of each TaskManager; 768MiB by default.")
  private String taskManagerMemory;

  @Option(
      names = "--network-memory",
      paramLabel = "SIZE",
      description = "Network buffers of each TaskManager, outside the heap; 64MiB by default.")
  private String networkMemory;

  @Option(
      names = "--job-manager-memory",
      paramLabel = "SIZE",
      description = "Heap of each JobManager; 256MiB by default.")
  private String jobManagerMemory;

  @Option(
      names = "--broker-memory",
      paramLabel = "SIZE",
      description = "Heap of each Kafka broker; 256MiB by default.")
  private String brokerMemory;

  @Option(
      names = "--checkpoints",
      paramLabel = "DIR|URI",
      description =
          "Default checkpoint storage of jobs: a directory or a URI such as s3://bucket/path; "
              + "under --dir by default.")
  private String checkpoints;

  @Option(
      names = "--base-port",
      paramLabel = "PORT",
      description = "First of consecutive loopback ports; free ports by default.")
  private int basePort;

  @Mixin private TrinoOptions trino;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      description =
          "Restart this dead process of the cluster, such as taskmanager-2, with its ports and data; "
              + "other options are ignored.")
  private String only;

  @Override
  public Integer call() throws IOException {
    return only == null ? startAll() : startOnly();
  }

  private int startOnly() throws IOException {
    ClusterProcess process;
    try {
      process = place.directory().restart(only);
    } catch (ClusterException e) {
      throw new UsageException(e.getMessage());
    }
    spec.commandLine().getOut().println(line(process));
    return 0;
  }

  private int startAll() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    long began = System.nanoTime();
    LocalCluster cluster = new LocalCluster(config());
    try {
      cluster.startDetachable();
      cluster.awaitReady(
          TIMEOUT,
          (process, after) -> {
            if (Terminal.isStandardError()) {
              err.printf(Locale.ROOT, "%6.1f s  %s%n", after.toMillis() / 1e3, line(process));
              err.flush();
            }
          });
      cluster.detach();
    } catch (ClusterRunsException e) {
      throw new UsageException(e.getMessage());
    } finally {
      cluster.close(); // no effect on a detached cluster
    }
    ClusterDirectory directory = cluster.directory();
    out.printf(
        Locale.ROOT,
        "the cluster is up after %.1f s in %s%n",
        (System.nanoTime() - began) / 1e9,
        directory.root());
    out.printf("  Flink       %s%n", String.join(" ", cluster.restAddresses()));
    out.printf("  Kafka       %s%n", cluster.bootstrapServers());
    cluster.trino().ifPresent(url -> out.printf("  Trino       %s%n", url));
    out.printf("  checkpoints %s%n", cluster.checkpoints());
    out.printf("  stop        millrace cluster stop --dir %s%n", ShellWord.of(directory.root()));
    out.flush();
    return 0;
  }

  private static String line(ClusterProcess process) {
    return String.format(
        Locale.ROOT, "%-14s pid %-8d %s", process.name(), process.pid(), process.address());
  }

  private ClusterConfig config() throws IOException {
    try {
      ClusterConfig config =
          ClusterConfig.defaults(place.directory().root())
              .withTaskManagers(taskManagers)
              .withJobManagers(jobManagers)
              .withBrokers(brokers)
              .withBasePort(basePort);
      ClusterConfig.Memory memory = config.memory();
      memory = with(memory, "--task-manager-memory", taskManagerMemory, memory::withTaskManager);
      memory = with(memory, "--job-manager-memory", jobManagerMemory, memory::withJobManager);
      memory = with(memory, "--broker-memory", brokerMemory, memory::withBroker);
      FlinkConfig flink = config.flink().withSlots(slots);
      flink = with(flink, "--network-memory", networkMemory, flink::withNetworkBytes);
      config =
          config
              .withMemory(memory)
              .withFlink(flink)
              .withTrino(
                  trino.config(
                      place.directory().root().resolve("data").resolve("trino"),
                      spec.commandLine().getErr()));
      return checkpoints == null ? config : config.withCheckpoints(checkpoints);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private static <T> T with(T before, String option, String size, LongFunction<T> change) {
    if (size == null) {
      return before;
    }
    try {
      return change.apply(Units.bytes(size));
    } catch (IllegalArgumentException e) {
      throw new UsageException(option + ": " + e.getMessage());
    }
  }
}
