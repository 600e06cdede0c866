package io.millrace.engine.job;

import java.net.URI;
import java.nio.file.Path;

/**
 * Places of files as Flink reads them. Its paths look like URIs, but nothing in them is escaped: of
 * {@code file:/data/a%20b} it makes a directory {@code a%20b}.
 */
public final class FlinkPath {
  private FlinkPath() {}

  /**
   * A file or directory as text for Flink.
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

  /** As above, for a URI of a file; another URI stays as it is. */
  public static String of(URI place) {
    return "file".equals(place.getScheme()) ? of(Path.of(place)) : place.toString();
  }
}
