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
 * What is to be sent where.
 *
 * @param pipeline one of the configuration's that are jobs of their own, enabled or not
 * @param name of the job, and of its checkpoints
 * @param config settings of the pipeline, and the address of the log
 * @param jobManagers addresses of Flink's REST interface
 * @param store as the cluster's machines reach it
 * @param checkpoints where the checkpoints of all jobs are kept, for all machines alike
 * @param restore where it goes on from
 * @param parallelism subtasks of each step; empty for half as many as there are free slots
 * @param replace whether a job of that name is stopped and taken over; else it is refused
 * @param code where the cluster gets our classes from
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

  /** Where a job goes on from. */
  public sealed interface Restore {
    /** The newest checkpoint there is; anew if there is none. */
    record Newest() implements Restore {}

    /** Nowhere: it starts where the store's last committed checkpoint ends. */
    record Nothing() implements Restore {}

    /**
     * A checkpoint or savepoint.
     *
     * @param path or URI
     */
    record From(String path) implements Restore {}
  }

  /**
   * Where the cluster gets our classes from.
   *
   * @param source the jar, or the directory of classes, that the command itself runs from
   * @param send whether it is sent; empty to send it if the cluster does not have it
   */
  public record Code(Path source, Optional<Boolean> send) {}
}
