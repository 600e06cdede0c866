package io.millrace.engine.job;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.client.deployment.StandaloneClusterId;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.client.JobStatusMessage;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.rest.handler.legacy.messages.ClusterOverviewWithVersion;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.checkpoints.CheckpointStatistics;
import org.apache.flink.runtime.rest.messages.checkpoints.CheckpointingStatisticsHeaders;
import org.apache.flink.runtime.rest.messages.job.JobDetailsInfo;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.util.ExceptionUtils;

/**
 * Client of a separate Flink cluster, through the REST interface of its JobManager. Not
 * thread-safe.
 *
 * <p>All methods throw {@link JobException} with a message of one line.
 */
public final class RemoteFlink implements AutoCloseable {
  private static final int CONNECT_MILLIS = 5_000;
  private static final long ANSWER_SECONDS = 20;

  private static final long SUBMIT_SECONDS = 600;

  private static final long CHECKPOINT_SECONDS = 120;
  private static final long POLL_MILLIS = 100;

  /**
   * Cluster overview.
   *
   * @param flinkVersion such as {@code 2.3.0}
   * @param taskManagers registered ones
   * @param freeSlots slots without subtasks
   */
  public record Overview(String flinkVersion, int taskManagers, int freeSlots) {}

  /**
   * A submitted job.
   *
   * @param id on the cluster
   * @param dashboard address of its page
   * @param steps names of its steps
   */
  public record SubmittedJob(String id, String dashboard, Set<String> steps) {}

  private final RestClusterClient<StandaloneClusterId> client;
  private final Overview overview;

  private RemoteFlink(RestClusterClient<StandaloneClusterId> client, Overview overview) {
    this.client = client;
    this.overview = overview;
  }

  /**
   * Connects to the JobManager.
   *
   * @param jobManagers addresses of the REST interface; the first that responds is used, and
   *     redirects to the leader
   */
  public static RemoteFlink connect(List<InetSocketAddress> jobManagers) {
    String failure = "";
    for (InetSocketAddress address : jobManagers) {
      RestClusterClient<StandaloneClusterId> client = client(address);
      try {
        ClusterOverviewWithVersion overview =
            await(client.getClusterOverview(), ANSWER_SECONDS, "the overview");
        return new RemoteFlink(
            client,
            new Overview(
                overview.getVersion(),
                overview.getNumTaskManagersConnected(),
                overview.getNumSlotsAvailable()));
      } catch (JobException e) {
        failure = e.getMessage();
        client.close();
      }
    }
    throw new JobException(
        "no JobManager responds at "
            + String.join(", ", jobManagers.stream().map(RemoteFlink::text).toList())
            + ": "
            + failure
            + "; give the address of its REST interface (rest.port, 8081 by default)");
  }

  private static String text(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }

  private static RestClusterClient<StandaloneClusterId> client(InetSocketAddress address) {
    Configuration c = new Configuration();
    c.set(RestOptions.ADDRESS, address.getHostString());
    c.set(RestOptions.PORT, address.getPort());
    c.set(RestOptions.RETRY_MAX_ATTEMPTS, 2);
    c.set(RestOptions.CONNECTION_TIMEOUT, Duration.ofMillis(CONNECT_MILLIS));
    try {
      return new RestClusterClient<>(c, StandaloneClusterId.getInstance());
    } catch (Exception e) {
      throw new JobException(
          "cannot create a client for " + text(address) + ": " + e.getMessage(), e);
    }
  }

  /** Overview at the time of the connection. */
  public Overview overview() {
    return overview;
  }

  /** Slots of the cluster, free or not. */
  public int slots() {
    return await(client.getClusterOverview(), ANSWER_SECONDS, "the overview").getNumSlotsTotal();
  }

  /**
   * Waits until slots are free, such as those of a job that has just ended.
   *
   * @return number of free slots, which may be fewer than wanted after {@code timeout}
   */
  public int awaitFreeSlots(int wanted, Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      int free =
          await(client.getClusterOverview(), ANSWER_SECONDS, "the overview").getNumSlotsAvailable();
      if (free >= wanted || System.nanoTime() > deadline) {
        return free;
      }
      pause();
    }
  }

  /**
   * Waits until all subtasks of a job run.
   *
   * @return whether they do
   * @throws JobException if the job has failed permanently
   */
  public boolean awaitRunning(String id, Duration timeout) {
    JobID job = JobID.fromHexString(id);
    long deadline = System.nanoTime() + timeout.toNanos();
    while (System.nanoTime() < deadline) {
      JobDetailsInfo details = await(client.getJobDetails(job), ANSWER_SECONDS, "the state");
      if (details.getJobStatus().isGloballyTerminalState()) {
        throw new JobException("job " + details.getName() + " has failed: " + failure(job));
      }
      if (details.getJobStatus() == JobStatus.RUNNING
          && details.getJobVertexInfos().stream()
              .allMatch(vertex -> vertex.getExecutionState() == ExecutionState.RUNNING)) {
        return true;
      }
      pause();
    }
    return false;
  }

  private String failure(JobID job) {
    return await(client.requestJobResult(job), ANSWER_SECONDS, "the result")
        .getSerializedThrowable()
        .map(failure -> RootCause.of(failure.deserializeError(RemoteFlink.class.getClassLoader())))
        .orElse("the job was cancelled");
  }

  /** Checks that the cluster's Flink has the same minor version as this one. */
  public void checkVersion() {
    String ours = EnvironmentInformation.getVersion();
    if (!minor(ours).equals(minor(overview.flinkVersion()))) {
      throw new JobException(
          "the cluster runs Flink "
              + overview.flinkVersion()
              + ", but this release of Millrace requires "
              + minor(ours)
              + ": install the same minor version");
    }
  }

  private static String minor(String version) {
    String[] parts = version.split("\\.", 3);
    return parts.length < 2 ? version : parts[0] + "." + parts[1];
  }

  /**
   * Whether a file is on the cluster's class path, and need not be sent: the cluster was started
   * with it, on this machine or one with the same layout.
   */
  public boolean hasOnClassPath(Path file) {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(
                  URI.create(client.getWebInterfaceURL() + "/jobmanager/environment"))
              .timeout(Duration.ofSeconds(ANSWER_SECONDS))
              .build();
      String body =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
      return body.contains("\"" + file.toAbsolutePath() + "\"");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JobException("interrupted while reading the class path", e);
    } catch (IOException | IllegalArgumentException e) {
      return false;
    }
  }

  /** The job of that name that has not ended. */
  public Optional<String> running(String name) {
    return find(name).map(job -> job.getJobId().toString());
  }

  private Optional<JobStatusMessage> find(String name) {
    Collection<JobStatusMessage> jobs =
        await(client.listJobs(), ANSWER_SECONDS, "the list of jobs");
    return jobs.stream()
        .filter(job -> job.getJobName().equals(name))
        .filter(job -> !job.getJobState().isGloballyTerminalState())
        .findFirst();
  }

  /**
   * Takes a checkpoint of a job and stops it; waits until its subtasks have ended. If the
   * checkpoint fails, for example because the job is failing, the previous one is used.
   *
   * @param warnings receives one line if no checkpoint could be taken
   * @return path of its newest checkpoint; empty if it never had one
   */
  public Optional<String> stop(String id, Consumer<String> warnings) {
    JobID job = JobID.fromHexString(id);
    try {
      await(
          client.triggerCheckpoint(job, CheckpointType.CONFIGURED),
          CHECKPOINT_SECONDS,
          "a last checkpoint");
    } catch (JobException e) {
      warnings.accept(e.getMessage() + "; the job continues from the previous checkpoint");
    }
    await(client.cancel(job), ANSWER_SECONDS, "cancelling");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CHECKPOINT_SECONDS);
    while (!await(client.getJobStatus(job), ANSWER_SECONDS, "the state")
        .isGloballyTerminalState()) {
      if (System.nanoTime() > deadline) {
        throw new JobException("job " + id + " has not ended: see the cluster's dashboard");
      }
      pause();
    }
    return newestCheckpoint(job); // a later one may have been taken before the job ended
  }

  private static void pause() {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JobException("interrupted while waiting for the cluster", e);
    }
  }

  private Optional<String> newestCheckpoint(JobID job) {
    var parameters = CheckpointingStatisticsHeaders.getInstance().getUnresolvedMessageParameters();
    parameters.jobPathParameter.resolve(job);
    var statistics =
        await(
            client.sendRequest(
                CheckpointingStatisticsHeaders.getInstance(),
                parameters,
                EmptyRequestBody.getInstance()),
            ANSWER_SECONDS,
            "the checkpoints");
    return Optional.ofNullable(statistics.getLatestCheckpoints().getCompletedCheckpointStatistics())
        .map(CheckpointStatistics.CompletedCheckpointStatistics::getExternalPath);
  }

  /**
   * Submits a job.
   *
   * @param checkpoints directory of the checkpoints of all jobs, under a path that is the same on
   *     every machine of the cluster
   * @param restore path of the checkpoint to restore
   * @param jars with the job's classes, in class path order; empty if the cluster has them
   */
  public SubmittedJob submit(
      String name,
      int parallelism,
      FlinkConfig config,
      EmbeddedFlink.JobBuilder builder,
      URI checkpoints,
      Optional<String> restore,
      List<Path> jars) {
    Set<String> steps = new TreeSet<>();
    JobGraph graph;
    try {
      graph =
          new JobPlan(name, parallelism, config, builder)
              .graph(CheckpointHome.of(checkpoints, name), restore, steps);
    } catch (Exception e) {
      throw new JobException("job " + name + " cannot be built: " + e.getMessage(), e);
    }
    jars.forEach(file -> graph.addJar(new org.apache.flink.core.fs.Path(file.toUri())));
    JobID id = await(client.submitJob(graph), SUBMIT_SECONDS, "the submission");
    return new SubmittedJob(
        id.toString(), client.getWebInterfaceURL() + "/#/job/running/" + id, steps);
  }

  private static <T> T await(CompletableFuture<T> future, long seconds, String what) {
    try {
      return future.get(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JobException("interrupted while waiting for " + what, e);
    } catch (TimeoutException e) {
      throw new JobException("no response within " + seconds + " s: " + what, e);
    } catch (ExecutionException e) {
      Throwable cause = ExceptionUtils.stripExecutionException(e);
      throw new JobException(what + ": " + RootCause.of(cause), e);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
