package io.millrace.engine.job;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A job as it is handed to an engine, the one in this process or a cluster: the same steps, the
 * same settings, and the same place for its checkpoints, so that it can move from one to the other.
 *
 * @param name of the job, the same at every start
 * @param parallelism of steps that do not set their own
 * @param config its checkpoint interval, buffer timeout and settings of steps count
 * @param builder adds the steps
 */
record JobPlan(String name, int parallelism, FlinkConfig config, EmbeddedFlink.JobBuilder builder) {
  /**
   * State of a step that is no longer in the job is left behind: that of a plugin that was taken
   * out. All other steps keep their uid for ever.
   */
  private static final boolean STEPS_MAY_GO = true;

  /** Where a job's checkpoints are, among those of others. */
  static Path home(Path directory, String job) {
    return directory.resolve(homeName(job));
  }

  /** Names of jobs may hold what names of directories may not. */
  static String homeName(String job) {
    UUID id = UUID.nameUUIDFromBytes(("millrace job " + job).getBytes(StandardCharsets.UTF_8));
    return new JobID(id.getLeastSignificantBits(), id.getMostSignificantBits()).toString();
  }

  /**
   * The job under a new id: Flink takes none twice in a cluster's life.
   *
   * @param checkpoints the directory of this job's checkpoints
   * @param restore path of the checkpoint from which it goes on
   * @param steps gets the names of its steps
   */
  JobGraph graph(URI checkpoints, Optional<String> restore, Collection<String> steps)
      throws Exception {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(
            parallelism, FlinkSettings.job(config, checkpoints));
    builder.build(environment);
    steps.addAll(StepSettings.apply(environment, config.steps()));
    var plan = environment.getStreamGraph();
    plan.setJobName(name);
    JobGraph graph = plan.getJobGraph(JobPlan.class.getClassLoader(), new JobID());
    restore.ifPresent(
        path ->
            graph.setSavepointRestoreSettings(
                SavepointRestoreSettings.forPath(path, STEPS_MAY_GO, RecoveryClaimMode.CLAIM)));
    return graph;
  }
}
