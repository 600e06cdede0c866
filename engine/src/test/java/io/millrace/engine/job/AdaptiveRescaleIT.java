package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.SharedLog;
import io.millrace.engine.job.ClusterStatus.Job;
import io.millrace.engine.job.ClusterStatus.Step;
import io.millrace.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * With Flink's adaptive scheduler a job uses the available slots: it scales up to a new TaskManager
 * and down when one ends, and every value is stored exactly once.
 */
@ExtendWith(SharedLog.class)
class AdaptiveRescaleIT {
  private static final int SLOTS = 1;
  private static final int START = 2;
  private static final int MAX = 3;

  @TempDir Path directory;

  private PassingJob passing;
  private MiniCluster cluster;
  private ClusterReader reader;

  @BeforeEach
  void start() throws Exception {
    passing = new PassingJob(SharedLog.newTopic(MAX));
    FlinkConfig config =
        FlinkConfig.defaults().withSlots(SLOTS).withCheckpointInterval(Duration.ofMillis(200));
    Configuration settings = FlinkSettings.embedded(config, directory);
    ClusterSettings.recommended().forEach(settings::setString);
    settings.set(
        JobManagerOptions.SCHEDULER_SUBMISSION_RESOURCE_STABILIZATION_TIMEOUT,
        Duration.ofMillis(100));
    settings.set(
        JobManagerOptions.SCHEDULER_EXECUTING_RESOURCE_STABILIZATION_TIMEOUT,
        Duration.ofMillis(100));
    settings.set(
        JobManagerOptions.SCHEDULER_EXECUTING_COOLDOWN_AFTER_RESCALING, Duration.ofMillis(100));
    settings.set(JobManagerOptions.SCHEDULER_RESCALE_TRIGGER_MAX_DELAY, Duration.ofSeconds(2));
    cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(settings)
                .setNumTaskManagers(START) // a single one could never exchange data with another
                .setNumSlotsPerTaskManager(SLOTS)
                .build());
    cluster.start();
    reader = new ClusterReader(new FlinkRest(cluster.getRestAddress().join().toString()));

    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(
            MAX, FlinkSettings.job(config, directory.toUri()));
    passing.steps(MAX).build(environment);
    JobGraph graph =
        environment.getStreamGraph().getJobGraph(getClass().getClassLoader(), new JobID());
    cluster.submitJob(graph).get();
  }

  @AfterEach
  void close() throws Exception {
    cluster.close();
    passing.close();
  }

  @Test
  void aTaskManagerComesAndGoes() throws Exception {
    passing.write(100);
    awaitParallelism(START);
    awaitStored();

    passing.write(50);
    cluster.startTaskManager();
    passing.write(50);
    awaitParallelism(MAX);
    awaitStored();
    passing.write(50);
    awaitStored();
    assertThat(taskManagersInUse()).isEqualTo(MAX);

    passing.write(50);
    cluster.terminateTaskManager(0).get();
    passing.write(50);
    awaitParallelism(2);
    awaitStored();
    cluster.terminateTaskManager(1).get();
    awaitParallelism(1);
    passing.write(100);
    awaitStored();
  }

  private void awaitStored() throws Exception {
    Await.until("all values in the store", passing::allStored);
    passing.assertExact();
  }

  private void awaitParallelism(int parallelism) throws Exception {
    Await.until(
        "a job of " + parallelism + " subtasks a step",
        () -> {
          Job job;
          try {
            job = job();
          } catch (IOException e) {
            return false; // Flink has no checkpoints of a job that is being rescaled
          }
          return job.state().equals("RUNNING")
              && job.steps().stream()
                  .allMatch(
                      step ->
                          step.parallelism() == parallelism
                              && step.subtasks().stream()
                                  .allMatch(subtask -> subtask.state().equals("RUNNING")));
        });
  }

  private Job job() throws Exception {
    return reader.read().jobs().get(0);
  }

  private long taskManagersInUse() throws Exception {
    return job().steps().stream()
        .map(Step::subtasks)
        .flatMap(subtasks -> subtasks.stream().map(ClusterStatus.Subtask::taskManager))
        .distinct()
        .count();
  }
}
