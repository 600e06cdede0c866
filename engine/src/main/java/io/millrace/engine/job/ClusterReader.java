package io.millrace.engine.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.engine.job.ClusterStatus.Host;
import io.millrace.engine.job.ClusterStatus.Job;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Reads a {@link ClusterStatus} from a JobManager: about four requests, one more a TaskManager,
 * five a job and three a step. Thread-safe.
 *
 * <p>The JobManager gathers metrics from the TaskManagers when it is asked for some and its own are
 * older than {@code metrics.fetcher.update-interval} (10 s unless set), and answers with those it
 * had. So the first answer after a pause is as old as the pause: {@link #readFresh} asks before.
 */
public final class ClusterReader {
  /** What Flink needs to gather the metrics. */
  private static final Duration GATHERING = Duration.ofMillis(300);

  private static final int ATTEMPTS = 5;

  /** Jobs that are over are of no interest here, but for those that should not be. */
  private static final Set<String> ENDED = Set.of("FINISHED", "CANCELED");

  private final FlinkRest rest;
  private final LongSupplier clockMillis;

  /** A reader of the cluster that answers there. */
  public ClusterReader(FlinkRest rest) {
    this(rest, System::currentTimeMillis);
  }

  ClusterReader(FlinkRest rest, LongSupplier clockMillis) {
    this.rest = rest;
    this.clockMillis = clockMillis;
  }

  /**
   * The status, with metrics as the JobManager last gathered them.
   *
   * @throws IOException if the JobManager does not answer, or is none
   */
  public ClusterStatus read() throws IOException {
    long now = clockMillis.getAsLong();
    String version = rest.get("/overview").path("flink-version").asText();
    List<Host> hosts = new HostReader(rest).read();
    JobReader reader = new JobReader(rest, hosts, now);
    List<Job> jobs = new ArrayList<>();
    for (JsonNode job : rest.get("/jobs/overview").path("jobs")) {
      if (!ENDED.contains(job.path("state").asText())) {
        jobs.add(reader.read(job));
      }
    }
    return ClusterStatus.of(now, version, hosts, jobs);
  }

  /**
   * The status with metrics of now. Takes about a third of a second, and up to 1.5 s where a job is
   * so young that there are none.
   *
   * @throws IOException if the JobManager does not answer, or is none; or when interrupted
   */
  public ClusterStatus readFresh() throws IOException {
    ClusterStatus status = read();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        TimeUnit.MILLISECONDS.sleep(GATHERING.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while waiting for " + rest.address(), e);
      }
      status = read();
      if (measured(status)) {
        break;
      }
    }
    return status;
  }

  private static boolean measured(ClusterStatus status) {
    return status.jobs().stream()
        .filter(job -> job.state().equals("RUNNING"))
        .flatMap(job -> job.steps().stream())
        .flatMap(step -> step.subtasks().stream())
        .allMatch(subtask -> subtask.load().busy() != null);
  }
}
