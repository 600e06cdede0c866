package io.millrace.server.runtime;

import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.job.JobStatusReport;
import io.millrace.engine.job.LogEpochs;
import io.millrace.engine.log.LogCluster;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.table.TableFile;
import io.millrace.engine.table.TableFileWatch;
import io.millrace.engine.webhook.Webhook;
import io.millrace.engine.webhook.WebhookConfig;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.SharedParts;
import io.millrace.pipelines.plugins.PluginDirectory;
import io.millrace.store.NearestName;
import io.millrace.store.ResultSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jobs of the pipelines, which run on the embedded engine, or on a cluster, where this process sees
 * only their writes. Start once; thread-safe afterwards.
 */
final class Jobs {
  private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);

  private final FlinkConfig config;
  private final List<Pipeline> pipelines;
  private final Map<String, Supplier<JobStatusReport>> jobs = new LinkedHashMap<>();
  private final List<Webhook> webhooks = new ArrayList<>();
  private final List<String> startProblems = new ArrayList<>();
  private final long startedNanos = System.nanoTime();
  private EmbeddedFlink flink; // null if they run on a cluster

  Jobs(FlinkConfig config, List<Pipeline> pipelines) {
    this.config = config;
    this.pipelines = pipelines;
  }

  List<LogPipeline> pipelines() {
    return pipelines.stream()
        .filter(LogPipeline.class::isInstance)
        .map(LogPipeline.class::cast)
        .toList();
  }

  boolean areHere() {
    return config.run() == FlinkConfig.Place.HERE;
  }

  void startEngine(Path checkpoints, Closers closers) {
    int slots = pipelines().stream().mapToInt(each -> each.slots(config.slots())).sum();
    flink = closers.add(new EmbeddedFlink(config.withSlotsFor(slots), checkpoints));
    flink.start();
  }

  void start(
      LogCluster log,
      LogConfig settings,
      SharedParts shared,
      OpenStore store,
      IntFunction<Run> run,
      Closers closers) {
    boolean isAlerting = false;
    for (LogPipeline pipeline : pipelines()) {
      pipeline.ensureTopics(log, settings, shared).forEach(LOG::warn);
      for (Pipeline each : pipeline.inJob(shared)) {
        for (WebhookConfig webhook : each.webhooks()) { // before the first result
          post(webhook, log, closers);
        }
        for (TableFile table : each.tableFiles(log.bootstrapServers())) {
          closers.add(new TableFileWatch(table)).start();
        }
      }
      if (!isAlerting && !pipeline.alerting(shared).isEmpty()) {
        isAlerting = true;
        shared.alerts().posted().ifPresent(alerts -> post(alerts, log, closers));
      }
      if (areHere()) {
        submit(pipeline, run.apply(pipeline.slots(config.slots())), closers);
      } else {
        jobs.put(pipeline.name(), new ClusterJob(pipeline, table(pipeline), store));
      }
    }
    if (areHere()) {
      checkSteps(config.steps().keySet(), flink.steps());
    }
    if (shared.alerts().isOn() && !isAlerting) {
      startProblems.add(
          "alerts: no enabled pipeline produces any of alerts.kinds; set hitters.enabled: true or"
              + " flow_trends.enabled: true");
    }
  }

  /** Rejects settings of unknown steps. */
  static void checkSteps(Set<String> named, Set<String> known) {
    for (String step : named) {
      if (!known.contains(step)) {
        throw new IllegalArgumentException(
            "job.steps.%s: no job has this step; %s"
                .formatted(
                    step,
                    NearestName.of(step, known)
                        .map("did you mean %s?"::formatted)
                        .orElse("/metrics has the names, as millrace_step_rows_in_total{step=…}")));
      }
    }
  }

  private void post(WebhookConfig webhook, LogCluster log, Closers closers) {
    Webhook started = closers.add(new Webhook(webhook, log.bootstrapServers()));
    webhooks.add(started);
    started.start();
  }

  private void submit(LogPipeline pipeline, Run run, Closers closers) {
    List<Path> jars = PluginDirectory.jarsOf(pipeline.inJob(run.shared()));
    LogEpochs epochs = flink.epochs(pipeline.name(), run.bootstrapServers());
    Run present = pipeline.in(epochs, run);
    EmbeddedJob job = flink.submit(pipeline.name(), run.parallelism(), jars, pipeline.job(present));
    closers.add(epochs::mark); // runs after the jobs have read the last values
    closers.add(() -> job.stop(true));
    epochs.problems().forEach(LOG::warn);
    Stream.concat(job.startProblems().stream(), epochs.problems().stream())
        .forEach(problem -> startProblems.add("job " + pipeline.name() + ": " + problem));
    jobs.put(pipeline.name(), job::status);
  }

  private String table(LogPipeline pipeline) {
    return pipeline.tableNames().stream()
        .findFirst()
        .or(
            () ->
                pipelines.stream()
                    .filter(each -> each.jobName().equals(pipeline.name()))
                    .flatMap(each -> each.tables().stream())
                    .map(ResultSpec::name)
                    .findFirst())
        .orElseThrow();
  }

  JobStatusReport status(String name) {
    return jobs.get(name).get();
  }

  Map<String, JobStatusReport> statuses() {
    Map<String, JobStatusReport> statuses = new LinkedHashMap<>();
    jobs.forEach((name, job) -> statuses.put(name, job.get()));
    return statuses;
  }

  List<Webhook> webhooks() {
    return webhooks;
  }

  Optional<EmbeddedFlink> engine() {
    return Optional.ofNullable(flink);
  }

  List<String> failures() {
    return statuses().values().stream().flatMap(job -> job.problem().stream()).toList();
  }

  List<String> problems(Function<String, String> howToSubmit) {
    List<String> problems = new ArrayList<>(startProblems);
    Duration uptime = Duration.ofNanos(System.nanoTime() - startedNanos);
    Map<String, JobStatusReport> statuses = statuses();
    statuses.forEach(
        (name, job) -> {
          job.checkpointProblem(config.checkpointInterval(), uptime).ifPresent(problems::add);
          if (job.state().equals(ClusterJob.ABSENT)) {
            problems.add(
                "no job of pipeline " + name + " writes to the store: " + howToSubmit.apply(name));
          }
        });
    for (Pipeline pipeline : pipelines) {
      Map<String, Long> counters = statuses.get(pipeline.jobName()).counters();
      problems.addAll(pipeline.problems(counters));
      pipeline.streams().stream()
          .flatMap(each -> crowded(each, counters).stream())
          .filter(problem -> !problems.contains(problem)) // several pipelines may read a stream
          .forEach(problems::add);
    }
    return problems;
  }

  static Optional<String> crowded(RecordStream stream, Map<String, Long> counters) {
    long records = Pipeline.sum(counters, stream.crowdedCounter());
    return records == 0
        ? Optional.empty()
        : Optional.of(
            "stream %s: dropped %,d records with timestamps in the future (records_crowded): too many were pending; correct the senders' clocks"
                .formatted(stream.name(), records));
  }
}
