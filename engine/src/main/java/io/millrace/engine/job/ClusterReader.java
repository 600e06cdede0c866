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
 * Reads a {@link ClusterStatus} from a JobManager: about four requests, plus one per TaskManager,
 * five per job and three per step. Thread-safe.
 *
 * <p>If the JobManager's metrics are older than {@code metrics.fetcher.update-interval} (default 10
 * s), a request makes it fetch new ones from the TaskManagers, but it responds with the old ones.
 * So the first response after a pause is outdated; {@link #readFresh} sends a request in advance.
 */
public final class ClusterReader {
  private static final Duration GATHERING = Duration.ofMillis(300);

  private static final int ATTEMPTS = 5;

  private static final Set<String> ENDED = Set.of("FINISHED", "CANCELED");

  private final FlinkRest rest;
  private final LongSupplier clockMillis;

  public ClusterReader(FlinkRest rest) {
    this(rest, System::currentTimeMillis);
  }

  ClusterReader(FlinkRest rest, LongSupplier clockMillis) {
    this.rest = rest;
    this.clockMillis = clockMillis;
  }

  /**
   * Status with the metrics that the JobManager fetched last.
   *
   * @throws IOException if the JobManager does not respond, or is not one
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
   * Status with current metrics. Takes about 300 ms, or up to 1.5 s if a job started too recently
   * to have metrics.
   *
   * @throws IOException if the JobManager does not respond, or is not one; or when interrupted
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
