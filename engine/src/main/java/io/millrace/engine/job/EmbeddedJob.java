package io.millrace.engine.job;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.ErrorInfo;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.util.ExceptionUtils;

/** A job that was submitted to {@link EmbeddedFlink}. Thread-safe. */
public final class EmbeddedJob {
  private static final long ANSWER_SECONDS = 10;

  private final MiniCluster cluster;
  private final JobID id;
  private final String name;
  private final Optional<Long> restored;
  private final List<String> startProblems;
  private final RestartHistory history = new RestartHistory();
  private final CompletableFuture<JobResult> end;

  EmbeddedJob(
      MiniCluster cluster,
      JobID id,
      String name,
      Optional<Long> restored,
      List<String> startProblems) {
    this.cluster = cluster;
    this.id = id;
    this.name = name;
    this.restored = restored;
    this.startProblems = startProblems;
    this.end = cluster.requestJobResult(id);
  }

  Optional<Long> restored() {
    return restored;
  }

  /** Problems with the checkpoints found at the start of the job, one line each. */
  public List<String> startProblems() {
    return startProblems;
  }

  /**
   * Current status. Sends a few messages within the process, so do not call it in a tight loop.
   *
   * @throws JobException if the engine is closed or does not respond
   */
  public JobStatusReport status() {
    AccessExecutionGraph graph = await(cluster.getExecutionGraph(id), "status");
    Map<String, Long> counters = JobMetrics.counters(id.toString());
    long restarts = JobMetrics.restarts(id.toString());
    long now = System.nanoTime();
    history.note(restarts, now);
    boolean isFailing = !graph.getState().isGloballyTerminalState() && history.isFailing(now);
    return new JobStatusReport(
        name,
        isFailing ? JobStatusReport.FAILING : graph.getState().name(),
        restarts,
        Optional.ofNullable(graph.getFailureInfo()).map(EmbeddedJob::describe),
        restored,
        Optional.ofNullable(graph.getCheckpointStatsSnapshot())
            .map(stats -> stats.getHistory().getLatestCompletedCheckpoint())
            .map(EmbeddedJob::describe),
        JobMetrics.lagValues(id.toString()),
        counters);
  }

  private static String describe(ErrorInfo failure) {
    return RootCause.of(
        failure.getException().deserializeError(EmbeddedJob.class.getClassLoader()));
  }

  private static JobStatusReport.CompletedCheckpoint describe(CompletedCheckpointStats stats) {
    return new JobStatusReport.CompletedCheckpoint(
        stats.getCheckpointId(),
        Duration.ofMillis(System.currentTimeMillis() - stats.getTriggerTimestamp()),
        Duration.ofMillis(stats.getEndToEndDuration()),
        stats.getStateSize());
  }

  /**
   * Takes a checkpoint now and waits for it.
   *
   * @return its id
   * @throws JobException if it fails, or the job is not running
   */
  public long checkpoint() {
    return await(cluster.triggerCheckpoint(id, CheckpointType.CONFIGURED), "a checkpoint");
  }

  /**
   * Stops the job and waits until its subtasks have ended. It can be submitted again and continues.
   *
   * @param lastCheckpoint whether to take a checkpoint first, so that the next start replays
   *     little. The job runs until it is cancelled; rows stored between checkpoint and cancellation
   *     are rewound and replayed. If the log is idle and fully read, nothing is replayed. If the
   *     checkpoint fails, the job is stopped anyway and later continues from the previous one
   * @return whether the last checkpoint was taken
   */
  public boolean stop(boolean lastCheckpoint) {
    if (end.isDone()) {
      return false;
    }
    boolean taken = false;
    if (lastCheckpoint) {
      try {
        checkpoint();
        taken = true;
      } catch (JobException e) {
        taken = false;
      }
    }
    await(cluster.cancelJob(id), "cancelling");
    await(end, "the end");
    return taken;
  }

  /** Whether the job has ended: finished, stopped, or failed permanently. */
  public boolean ended() {
    return end.isDone();
  }

  /**
   * Waits for the end of the job.
   *
   * @return whether it has ended
   * @throws JobException if it failed permanently; with the message of the cause
   */
  public boolean awaitEnd(Duration timeout) {
    try {
      JobResult result = end.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (result.getSerializedThrowable().isPresent()
          && result.getJobStatus().filter(s -> s == JobStatus.CANCELED).isEmpty()) {
        Throwable failure =
            result
                .getSerializedThrowable()
                .get()
                .deserializeError(EmbeddedJob.class.getClassLoader());
        throw new JobException("job " + name + " has failed: " + RootCause.of(failure), failure);
      }
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      throw new JobException("job " + name + ": " + e.getCause().getMessage(), e);
    }
  }

  private <T> T await(CompletableFuture<T> future, String what) {
    try {
      return future.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JobException("interrupted while waiting for " + what + " of job " + name, e);
    } catch (ExecutionException | TimeoutException e) {
      throw new JobException(
          what + " of job " + name + ": " + ExceptionUtils.stripExecutionException(e), e);
    }
  }
}
