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
 * @param pipeline pipeline that runs as a separate job, enabled or not
 * @param name name of the job, and of its checkpoints
 * @param config settings of the pipeline, and the address of the log
 * @param jobManagers addresses of Flink's REST interface
 * @param store address of the store, as seen from the cluster
 * @param checkpoints directory or URI of the checkpoints of all jobs, accessible to all machines
 * @param restore where the job starts
 * @param parallelism subtasks of each step; empty for half of the free slots
 * @param replace whether to stop a running job of this name and resume from it; otherwise the
 *     submission fails
 * @param code where the cluster gets the classes
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

  /** Where a job starts. */
  public sealed interface Restore {
    /** From the newest checkpoint, if there is one. */
    record Newest() implements Restore {}

    /** Without a checkpoint, from where the last checkpoint that the store has committed ends. */
    record Nothing() implements Restore {}

    /**
     * From a checkpoint or savepoint.
     *
     * @param path path or URI
     */
    record From(String path) implements Restore {}
  }

  /**
   * Where the cluster gets the classes.
   *
   * @param source jar, or directory of classes, that this command runs from
   * @param send whether to upload the jar; empty to upload it only if the cluster lacks the classes
   */
  public record Code(Path source, Optional<Boolean> send) {}
}
