package io.millrace.lab.recovery;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cluster.ClusterProcess;
import io.millrace.engine.job.FlinkRest;
import io.millrace.pipelines.apps.AppsPipeline;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** The steps of {@code apps} to kill, named as in the published system. */
enum AppStep {
  /** Reads the log and finds the control messages. */
  DECODER("apps-log", OptionalInt.of(11)),
  /** Tracks and classifies flows. */
  CLASSIFIER("apps-flows", OptionalInt.empty()),
  /** Aggregates and stores. */
  TRACKER("apps-store", OptionalInt.of(3));

  private static final Map<String, String> GROUPS =
      Map.of(
          DECODER.uid,
          DECODER.option(),
          CLASSIFIER.uid,
          CLASSIFIER.option(),
          "apps-sessions",
          CLASSIFIER.option(),
          "apps-tunnels",
          CLASSIFIER.option(),
          TRACKER.uid,
          TRACKER.option(),
          "apps-subscribers",
          TRACKER.option(),
          "app-flows-store",
          TRACKER.option());

  private static final int PUBLISHED_INTERVAL = 10; // seconds
  private static final Pattern BETWEEN_NAMES = Pattern.compile(" -> |[ ,():\\[\\]]+");

  private final String uid;
  private final OptionalInt published;

  /**
   * @param uid uid of its operator
   * @param published published recovery time in seconds, with checkpoints every 10 s
   */
  AppStep(String uid, OptionalInt published) {
    this.uid = uid;
    this.published = published;
  }

  /** Value of the option. */
  String option() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Published recovery time in seconds for a checkpoint interval. */
  OptionalInt published(int checkpointSeconds) {
    return checkpointSeconds == PUBLISHED_INTERVAL ? published : OptionalInt.empty();
  }

  /** The pipeline with these steps in separate slots. */
  static StepsApart pipeline() {
    return new StepsApart(new AppsPipeline(), GROUPS);
  }

  /** Prepares the kill of the TaskManager that runs the step. */
  Failure.Blow aim(RecoveryCluster cluster) throws IOException {
    FlinkRest rest = cluster.cluster().rest();
    for (FlinkRest.Job job : rest.jobs()) {
      String vertices = "/jobs/" + job.id() + "/vertices/";
      for (JsonNode vertex : rest.get("/jobs/" + job.id()).path("vertices")) {
        if (job.state().equals("RUNNING") && names(vertex.path("name").asText()).contains(uid)) {
          JsonNode subtask =
              rest.get(vertices + vertex.path("id").asText()).path("subtasks").path(0);
          ClusterProcess target =
              cluster.cluster().process(subtask.path("taskmanager-id").asText());
          return Failure.Blow.at(target, target::kill, target::restart);
        }
      }
    }
    throw new IOException("no TaskManager runs the step " + uid);
  }

  /** Names of the steps in an operator chain. */
  static List<String> names(String chain) {
    return List.of(BETWEEN_NAMES.split(chain, -1));
  }
}
