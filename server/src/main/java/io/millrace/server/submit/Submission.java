package io.millrace.server.submit;

import io.millrace.pipelines.StoreLink;
import io.millrace.server.runtime.MillraceConfig;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Parameters of a submission.
 *
 * @param pipeline one that runs as a separate job, enabled or not
 * @param name of the job, and of its checkpoints
 * @param config settings of the pipeline, and the address of the log
 * @param jobManagers addresses of Flink's REST interface
 * @param store as reached by the cluster's machines
 * @param checkpoints common directory or URI of all jobs' checkpoints, reached by all machines
 * @param restore starting point
 * @param parallelism subtasks of each step; empty for half of the free slots
 * @param replace whether to stop and take over a running job of that name; else the submission
 *     fails
 * @param code source of the classes
 */
public record Submission(
    String pipeline,
    String name,
    MillraceConfig config,
    List<InetSocketAddress> jobManagers,
    StoreLink.Remote store,
    URI checkpoints,
    Restore restore,
    OptionalInt parallelism,
    boolean replace,
    Code code) {

  /** Starting point of a job. */
  public sealed interface Restore {
    /** The newest checkpoint; none if there is none. */
    record Newest() implements Restore {}

    /** No checkpoint: starts where the store's last committed checkpoint ends. */
    record Nothing() implements Restore {}

    /**
     * A checkpoint or savepoint.
     *
     * @param path or URI
     */
    record From(String path) implements Restore {}
  }

  /**
   * Source of the cluster's classes.
   *
   * @param source the jar, or the directory of classes, that the command runs from
   * @param send whether to upload it; empty to upload it if the cluster lacks it
   */
  public record Code(Path source, Optional<Boolean> send) {}
}
