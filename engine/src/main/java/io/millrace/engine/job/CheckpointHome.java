package io.millrace.engine.job;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** Where a job's checkpoints are kept, in a file system that a whole cluster shares. */
public final class CheckpointHome {
  private CheckpointHome() {}

  /**
   * The directory or object store that a user named.
   *
   * @param text a path, made absolute, or a URI as {@code s3://bucket/prefix}
   */
  public static URI parse(String text) {
    return text.matches("[a-z][a-z0-9+.-]+:/.*")
        ? URI.create(text)
        : Path.of(text).toAbsolutePath().toUri();
  }

  /** That of one job. */
  static URI of(URI checkpoints, String job) {
    String base = checkpoints.toString();
    return URI.create((base.endsWith("/") ? base : base + "/") + JobPlan.homeName(job));
  }

  /**
   * The newest checkpoint of a job that is not running, in a directory that this machine reaches.
   *
   * @return its path; empty if there is none
   * @throws JobException if it is not in files: then it must be named
   */
  public static Optional<String> newest(URI checkpoints, String job) {
    if (!"file".equals(checkpoints.getScheme())) {
      throw new JobException(
          "checkpoints in "
              + checkpoints
              + " cannot be listed from here: name the one to go on from (--from-checkpoint PATH,"
              + " its directory chk-N below "
              + of(checkpoints, job)
              + "), or none (--from-checkpoint none)");
    }
    CheckpointDirectory directory =
        new CheckpointDirectory(JobPlan.home(Path.of(checkpoints), job));
    return directory.takeUp().map(checkpoint -> checkpoint.path().toUri().toString());
  }
}
