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
import io.millrace.pipelines.plugins.PluginSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Sends a pipeline to a cluster, after all checks that can be made from here. */
public final class Submitter {
  /** A store that is just starting has read its file by then. */
  private static final Duration STORE_PATIENCE = Duration.ofSeconds(5);

  private static final Duration SLOTS_PATIENCE = Duration.ofSeconds(15);
  private static final Duration START_PATIENCE = Duration.ofSeconds(60);

  /**
   * A job that was taken.
   *
   * @param id under which the cluster knows it
   * @param name of the job
   * @param dashboard address of its page
   * @param parallelism subtasks of each step
   * @param restored path of the checkpoint from which it goes on; empty if it starts anew
   * @param running whether all its subtasks run
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
   * @param progress is told in a line each what takes a while
   */
  public Submitter(Submission submission, Consumer<String> progress) {
    this.submission = submission;
    this.progress = progress;
  }

  /**
   * Sends it, and waits until it runs.
   *
   * @throws IllegalArgumentException if there is no such pipeline
   * @throws io.millrace.pipelines.plugins.PluginException if a plugin cannot be used
   * @throws io.millrace.analytics.plugin.SettingException if its settings are not what it needs
   * @throws JobException if the cluster refuses, or the job fails at once; says why
   * @throws io.millrace.engine.log.LogException if the log is not reached
   * @throws io.millrace.store.StoreException if the store is not reached
   */
  public Result run() {
    LogPipeline pipeline = submission.config().logPipeline(submission.pipeline());
    PluginSet plugins = PluginSet.load(submission.config().plugins()).forCluster();
    SharedParts shared = submission.config().shared(plugins.pipelines()).absolute();
    try (RemoteFlink cluster = RemoteFlink.connect(submission.jobManagers())) {
      cluster.checkVersion();
      List<Path> jars = new ArrayList<>();
      jar(cluster).ifPresent(jars::add); // in front of the plugins'
      jars.addAll(plugins.jars());
      checkLog(pipeline, shared);
      Optional<String> running = cluster.running(submission.name());
      if (running.isPresent() && !submission.replace()) {
        throw new JobException(
            "job "
                + submission.name()
                + " runs already as "
                + running.get()
                + ": --replace stops it with a checkpoint and goes on from that");
      }
      checkSlots(cluster);
      StoreLink soon = submission.store().withPatience(STORE_PATIENCE);
      pipeline.checkStore(run(soon, shared, 1)); // before a running job is touched
      Optional<String> restored = restored(cluster, running);
      int parallelism = parallelism(cluster, running.isPresent());
      pipeline.openTables(run(soon, shared, parallelism));
      Run run = inEpochs(pipeline, run(submission.store(), shared, parallelism), restored);
      EmbeddedFlink.JobBuilder job = pipeline.job(run);
      jars.forEach(file -> progress.accept("sending " + file));
      RemoteFlink.SubmittedJob taken =
          cluster.submit(
              submission.name(),
              parallelism,
              submission.config().job(),
              job,
              submission.checkpoints(),
              restored,
              jars);
      return new Result(
          taken.id(),
          submission.name(),
          taken.dashboard(),
          parallelism,
          restored,
          cluster.awaitRunning(taken.id(), START_PATIENCE));
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
          "the cluster does not have our classes, and "
              + source
              + " is not a jar to send: say --jar FILE");
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

  /** More than the cluster has is not begun with less, as Flink would. */
  private void checkSlots(RemoteFlink cluster) {
    int wanted = submission.parallelism().orElse(1);
    int slots = cluster.slots();
    if (wanted > slots) {
      throw new JobException(
          "parallelism "
              + wanted
              + " is more than the "
              + slots
              + " slots of the cluster: start TaskManagers, or ask for fewer");
    }
  }

  private int parallelism(RemoteFlink cluster, boolean isReplaced) {
    int wanted = submission.parallelism().orElse(1);
    int free = cluster.awaitFreeSlots(wanted, SLOTS_PATIENCE);
    if (submission.parallelism().isEmpty() && free > 0) {
      return share(free);
    }
    if (free < wanted && !isReplaced) {
      throw new JobException(
          (free == 0 ? "no slot" : "only " + free)
              + " of the cluster's is free, and "
              + wanted
              + " are wanted: start TaskManagers, stop a job that it runs, or ask for fewer");
    }
    if (free < wanted) { // the job before has ended: better a slow one than none
      progress.accept("only " + free + " slots are free: the job waits for " + wanted);
    }
    return wanted;
  }

  /** Half of the free slots, so that the next job finds some too. */
  static int share(int free) {
    return (free + 1) / 2;
  }
}
