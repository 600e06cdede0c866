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
 * A job for the embedded engine or a cluster, with the same steps, settings and checkpoint
 * location, so that it can move between them.
 */
record JobPlan(String name, int parallelism, FlinkConfig config, EmbeddedFlink.JobBuilder builder) {
  /** State of a removed step, such as a plugin's, is dropped. All other steps keep their uid. */
  private static final boolean STEPS_MAY_GO = true;

  static Path home(Path directory, String job) {
    return directory.resolve(homeName(job));
  }

  static String homeName(String job) {
    UUID id = UUID.nameUUIDFromBytes(("millrace job " + job).getBytes(StandardCharsets.UTF_8));
    return new JobID(id.getLeastSignificantBits(), id.getMostSignificantBits()).toString();
  }

  /** The job graph with a new id: a Flink cluster accepts each id only once. */
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
