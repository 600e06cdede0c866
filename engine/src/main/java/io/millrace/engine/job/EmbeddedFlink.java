package io.millrace.engine.job;

import io.millrace.pulse.LocalHost;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Flink cluster inside this JVM: one JobManager and one TaskManager that share threads and memory
 * with the rest of the process. User code comes from the class path.
 *
 * <p>The constructor has no effect; started once, closed once; thread-safe in between.
 */
public final class EmbeddedFlink implements AutoCloseable {
  /** Adds the sources, steps and sinks of a job, each with a uid. Must not execute the job. */
  @FunctionalInterface
  public interface JobBuilder {
    void build(StreamExecutionEnvironment job) throws Exception;
  }

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedFlink.class);
  private static final long CLOSE_SECONDS = 30;

  private final FlinkConfig config;
  private final Path directory;
  private final Map<String, EmbeddedJob> jobs = new HashMap<>();
  private final Map<String, Start> starts = new HashMap<>();
  private final Set<String> steps = new TreeSet<>();
  private volatile MiniCluster cluster;

  /**
   * Creates a cluster that is not started.
   *
   * @param directory of checkpoints, one subdirectory per job; created when needed
   */
  public EmbeddedFlink(FlinkConfig config, Path directory) {
    this.config = config;
    this.directory = directory.toAbsolutePath();
  }

  /**
   * Starts the cluster.
   *
   * @throws JobException if it does not start
   */
  public void start() {
    try {
      LocalHost.toLoopback();
      MiniClusterConfiguration settings =
          new MiniClusterConfiguration.Builder()
              .setConfiguration(FlinkSettings.embedded(config, directory))
              .setNumTaskManagers(1)
              .setNumSlotsPerTaskManager(config.slots())
              .setRpcServiceSharing(RpcServiceSharing.SHARED)
              .build();
      Reference<RpcSystem> rpc = SharedRpc.take();
      cluster = new MiniCluster(settings, () -> rpc);
      cluster.start();
    } catch (Exception e) {
      throw new JobException("cannot start the stream engine: " + e.getMessage(), e);
    }
  }

  private record Start(Optional<CheckpointDirectory.Checkpoint> restored, List<String> problems) {}

  private Start start(String name) {
    CheckpointDirectory checkpoints = new CheckpointDirectory(JobPlan.home(directory, name));
    Optional<CheckpointDirectory.Checkpoint> restored = checkpoints.newestForStart();
    checkpoints.problems().forEach(problem -> LOG.warn("job {}: {}", name, problem));
    return new Start(restored, checkpoints.problems());
  }

  /**
   * The epochs of the topics that a job reads, for its next {@link #submit}.
   *
   * @param bootstrapServers of the log
   * @throws JobException if its checkpoint cannot be read
   */
  public synchronized LogEpochs epochs(String name, String bootstrapServers) {
    Start start = start(name);
    starts.put(name, start);
    return new LogEpochs(
        JobPlan.home(directory, name),
        start.restored().map(CheckpointDirectory.Checkpoint::path),
        bootstrapServers);
  }

  /**
   * Runs a job, from its newest complete checkpoint, if there is one. Jobs are identified by name.
   * A job that has ended can be submitted again.
   *
   * @param name of the job, the same at every start
   * @param parallelism of steps that do not set their own
   * @param builder adds the steps
   * @throws JobException if the job cannot be built or is rejected, or one with this name is
   *     running
   */
  public EmbeddedJob submit(String name, int parallelism, JobBuilder builder) {
    return submit(name, parallelism, List.of(), builder);
  }

  /**
   * {@link #submit(String, int, JobBuilder)} for a job with additional classes.
   *
   * @param jars that contain them; the steps find them by {@link
   *     io.millrace.engine.operator.Subtask#classLoader}
   */
  public synchronized EmbeddedJob submit(
      String name, int parallelism, List<Path> jars, JobBuilder builder) {
    if (jobs.containsKey(name) && !jobs.get(name).ended()) {
      throw new JobException("job " + name + " is already running: stop it first");
    }
    JobPlan plan = new JobPlan(name, parallelism, config, builder);
    Path home = JobPlan.home(directory, name);
    Start known = starts.remove(name);
    Start start = known == null ? start(name) : known;
    Optional<CheckpointDirectory.Checkpoint> restored = start.restored();
    try {
      JobGraph graph =
          plan.graph(
              home.toUri(), restored.map(checkpoint -> FlinkPath.of(checkpoint.path())), steps);
      jars.forEach(jar -> graph.addJar(new org.apache.flink.core.fs.Path(jar.toUri())));
      cluster.submitJob(graph).get();
      EmbeddedJob job =
          new EmbeddedJob(
              cluster,
              graph.getJobID(),
              name,
              restored.map(CheckpointDirectory.Checkpoint::id),
              start.problems());
      jobs.put(name, job);
      return job;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JobException("interrupted while submitting job " + name, e);
    } catch (Exception e) {
      throw new JobException("job " + name + " cannot be started: " + e.getMessage(), e);
    }
  }

  /** Names of the steps of all jobs that were submitted. */
  public synchronized Set<String> steps() {
    return Set.copyOf(steps);
  }

  Optional<String> restAddress() {
    if (config.restPort().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(cluster.getRestAddress().join().toString());
  }

  /**
   * Status of the cluster, its jobs and this machine; takes about 300 ms.
   *
   * @throws JobException if the cluster is not started, or does not respond
   */
  public ClusterStatus status() {
    MiniCluster running = cluster;
    if (running == null) {
      throw new JobException("the stream engine is not running");
    }
    try {
      // The interface is always bound to a loopback port, even if none was configured.
      return new ClusterReader(new FlinkRest(running.getRestAddress().join().toString()))
          .readFresh();
    } catch (IOException e) {
      throw new JobException("the stream engine does not respond: " + e.getMessage(), e);
    }
  }

  /** Stops the cluster. Running jobs stop at once; their checkpoints stay. */
  @Override
  public void close() {
    if (cluster == null) {
      return;
    }
    try {
      cluster.closeAsync().get(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new JobException(
          "the stream engine has not stopped within " + Duration.ofSeconds(CLOSE_SECONDS), e);
    } finally {
      cluster = null;
      SharedRpc.release();
    }
  }
}
