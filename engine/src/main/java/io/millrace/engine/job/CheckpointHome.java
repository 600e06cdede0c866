package io.millrace.engine.job;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Location of a job's checkpoints, in a file system that a whole cluster shares. */
public final class CheckpointHome {
  private CheckpointHome() {}

  /**
   * Parses a directory or object store as configured.
   *
   * @param text a path, made absolute, or a URI such as {@code s3://bucket/prefix}; also {@code
   *     file:} with an unescaped path, as Flink prints it
   * @throws IllegalArgumentException if it is neither
   */
  public static URI parse(String text) {
    if (!text.matches("[a-z][a-z0-9+.-]+:/.*")) {
      return Path.of(text).toAbsolutePath().normalize().toUri();
    }
    return fileAsPrinted(text).map(Path::toUri).orElseGet(() -> URI.create(text));
  }

  private static Optional<Path> fileAsPrinted(String text) {
    if (!text.startsWith("file:/")) {
      return Optional.empty();
    }
    Path file = Path.of(text.substring("file:".length())).normalize();
    return Files.exists(file) || !isUri(text) ? Optional.of(file) : Optional.empty();
  }

  private static boolean isUri(String text) {
    try {
      URI uri = new URI(text);
      return uri.getFragment() == null && uri.getQuery() == null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  static URI of(URI checkpoints, String job) {
    String base = checkpoints.toString();
    return URI.create((base.endsWith("/") ? base : base + "/") + JobPlan.homeName(job));
  }

  /**
   * The newest checkpoint of a job that is not running, in a directory that this machine can read.
   *
   * @return its path; empty if there is none
   * @throws JobException if the directory is not in a local file system: the checkpoint must then
   *     be given explicitly
   */
  public static Optional<String> newest(URI checkpoints, String job) {
    if (!"file".equals(checkpoints.getScheme())) {
      throw new JobException(
          "checkpoints in "
              + checkpoints
              + " cannot be listed from here: give the one to restore (--from-checkpoint PATH,"
              + " the directory chk-N below "
              + of(checkpoints, job)
              + "), or none (--from-checkpoint none)");
    }
    CheckpointDirectory directory =
        new CheckpointDirectory(JobPlan.home(Path.of(checkpoints), job));
    return directory.newestForStart().map(checkpoint -> FlinkPath.of(checkpoint.path()));
  }
}
