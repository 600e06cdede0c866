package io.millrace.engine.job;

import java.net.URI;
import java.nio.file.Path;

/**
 * File locations in Flink's notation. They look like URIs but are not unescaped: {@code
 * file:/data/a%20b} is the directory {@code a%20b}.
 */
public final class FlinkPath {
  private FlinkPath() {}

  /**
   * A file or directory in Flink's notation.
   *
   * @throws IllegalArgumentException if its absolute path has a backslash, which Flink reads as a
   *     slash
   */
  public static String of(Path path) {
    String absolute = path.toAbsolutePath().normalize().toString();
    if (absolute.indexOf('\\') >= 0) {
      throw new IllegalArgumentException(
          absolute + ": Flink cannot use a path with a backslash; use another directory");
    }
    return "file:" + absolute;
  }

  /** Converts a {@code file:} URI; returns any other URI unchanged. */
  public static String of(URI place) {
    return "file".equals(place.getScheme()) ? of(Path.of(place)) : place.toString();
  }
}
