package io.millrace.server.submit;

import io.millrace.engine.job.CheckpointHome;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.JobException;
import io.millrace.engine.job.LogEpochs;
import io.millrace.engine.job.RemoteFlink;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.RemoteLog;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.SharedParts;
import io.millrace.pipelines.StoreLink;
import io.millrace.pipelines.plugins.PluginDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Submits a pipeline to a cluster, after all checks that are possible before. */
public final class Submitter {
  /** Maximum wait for the store, sufficient for one that is starting. */
  private static final Duration STORE_TIMEOUT = Duration.ofSeconds(5);

  private static final Duration SLOTS_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

  /**
   * A submitted job.
   *
   * @param id id in the cluster
   * @param name of the job
   * @param dashboard URL of the job's page
   * @param parallelism subtasks of each step
   * @param restored path of the restored checkpoint; empty if there is none
   * @param running whether all subtasks run
   */
  public record Result(
      String id,
      String name,
      String dashboard,
      int parallelism,
      Optional<String> restored,
      boolean running) {}

  private final Submission submission;
  private final Consumer<String> progress;

  /**
   * Prepares a submission.
   *
   * @param progress receives a line for each slow step
   */
  public Submitter(Submission submission, Consumer<String> progress) {
    this.submission = submission;
    this.progress = progress;
  }

  /**
   * Submits the job, and waits until it runs.
   *
   * @throws IllegalArgumentException if the pipeline is unknown
   * @throws io.millrace.pipelines.plugins.PluginException if a plugin cannot be used
   * @throws JobException if the cluster rejects the job, or it fails immediately
   * @throws io.millrace.engine.log.LogException if the log is unreachable
   * @throws io.millrace.store.StoreException if the store is unreachable
   */
  public Result run() {
    LogPipeline pipeline = submission.config().logPipeline(submission.pipeline());
    SharedParts shared = submission.config().shared().absolute();
    List<Path> plugins = PluginDirectory.jarsOf(pipeline.inJob(shared));
    PluginDirectory.rejectOwnClasses(plugins);
    try (RemoteFlink cluster = RemoteFlink.connect(submission.jobManagers())) {
      cluster.checkVersion();
      List<Path> jars = new ArrayList<>();
      jar(cluster).ifPresent(jars::add); // before those of plugins
      jars.addAll(plugins);
      checkLog(pipeline, shared);
      Optional<String> running = cluster.running(submission.name());
      if (running.isPresent() && !submission.replace()) {
        throw new JobException(
            "job "
                + submission.name()
                + " already runs as "
                + running.get()
                + ": --replace stops it with a checkpoint and resumes from that");
      }
      checkSlots(cluster);
      StoreLink soon = submission.store().withTimeout(STORE_TIMEOUT);
      pipeline.checkStore(run(soon, shared, 1)); // before stopping a running job
      Optional<String> restored = restored(cluster, running);
      int parallelism = parallelism(cluster, running.isPresent());
      pipeline.openTables(run(soon, shared, parallelism));
      Run run = inEpochs(pipeline, run(submission.store(), shared, parallelism), restored);
      EmbeddedFlink.JobBuilder job = pipeline.job(run);
      jars.forEach(file -> progress.accept("uploading " + file));
      RemoteFlink.SubmittedJob taken =
          cluster.submit(
              submission.name(),
              parallelism,
              submission.config().job(),
              job,
              submission.checkpoints(),
              restored,
              jars);
      submission.config().job().steps().keySet().stream()
          .filter(step -> !taken.steps().contains(step))
          .forEach(step -> progress.accept("job.steps." + step + ": not a step of this job"));
      return new Result(
          taken.id(),
          submission.name(),
          taken.dashboard(),
          parallelism,
          restored,
          cluster.awaitRunning(taken.id(), START_TIMEOUT));
    }
  }

  private Run inEpochs(LogPipeline pipeline, Run run, Optional<String> restored) {
    Optional<LogEpochs> epochs =
        LogEpochs.of(submission.checkpoints(), submission.name(), restored, run.bootstrapServers());
    Run present = epochs.map(each -> pipeline.in(each, run)).orElse(run);
    epochs.ifPresent(each -> each.problems().forEach(progress));
    return present;
  }

  private Optional<Path> jar(RemoteFlink cluster) {
    Path source = submission.code().source();
    if (!submission.code().send().orElseGet(() -> !cluster.hasOnClassPath(source))) {
      return Optional.empty();
    }
    if (!Files.isRegularFile(source)) {
      throw new JobException(
          "the cluster lacks Millrace's classes, and " + source + " is not a jar; pass --jar FILE");
    }
    return Optional.of(source);
  }

  private Run run(StoreLink store, SharedParts shared, int parallelism) {
    return Run.live(submission.config().log().kafka(), store, shared, parallelism);
  }

  private void checkLog(LogPipeline pipeline, SharedParts shared) {
    LogConfig config = submission.config().log();
    try (RemoteLog log = new RemoteLog(config)) {
      log.start();
      pipeline.ensureTopics(log, config, shared).forEach(progress);
    }
  }

  private Optional<String> restored(RemoteFlink cluster, Optional<String> running) {
    if (running.isPresent()) {
      progress.accept("stopping job " + running.get());
      Optional<String> last = cluster.stop(running.get(), progress);
      if (submission.restore() instanceof Submission.Restore.Newest && last.isPresent()) {
        return last;
      }
    }
    if (submission.restore() instanceof Submission.Restore.From from) {
      return Optional.of(from.path());
    }
    return submission.restore() instanceof Submission.Restore.Newest
        ? CheckpointHome.newest(submission.checkpoints(), submission.name())
        : Optional.empty();
  }

  /** Fails if the cluster has too few slots, with which Flink would start nevertheless. */
  private void checkSlots(RemoteFlink cluster) {
    int wanted = submission.parallelism().orElse(1);
    int slots = cluster.slots();
    if (wanted > slots) {
      throw new JobException(
          "parallelism: "
              + wanted
              + " exceeds the "
              + slots
              + " slots of the cluster: start TaskManagers, or request fewer");
    }
  }

  private int parallelism(RemoteFlink cluster, boolean isReplaced) {
    int wanted = submission.parallelism().orElse(1);
    int free = cluster.awaitFreeSlots(wanted, SLOTS_TIMEOUT);
    if (submission.parallelism().isEmpty() && free > 0) {
      return share(free);
    }
    if (free < wanted && !isReplaced) {
      throw new JobException(
          "only "
              + free
              + " slots of the cluster are free, and "
              + wanted
              + " are required: start TaskManagers, stop a job, or request fewer");
    }
    if (free < wanted) { // the replaced job has already stopped, so submit anyway
      progress.accept("only " + free + " slots are free; the job waits for " + wanted);
    }
    return wanted;
  }

  /** Half of the free slots, so that the next job has slots too. */
  static int share(int free) {
    return (free + 1) / 2;
  }
}
