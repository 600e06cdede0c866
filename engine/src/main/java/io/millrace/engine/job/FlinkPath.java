package io.millrace.engine.job;

import java.net.URI;
import java.nio.file.Path;

/**
 * File locations in Flink's notation. Its paths look like URIs, but are not escaped: {@code
 * file:/data/a%20b} becomes a directory {@code a%20b}.
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

  /** As above, for a URI of a file; another URI is returned unchanged. */
  public static String of(URI place) {
    return "file".equals(place.getScheme()) ? of(Path.of(place)) : place.toString();
  }
}
