package io.millrace.cli.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Parses paths in options and configurations. */
public final class FilePaths {
  private FilePaths() {}

  /**
   * Parses a path.
   *
   * @throws IllegalArgumentException if the path has a control character, which messages and logs
   *     cannot show, or a character that the locale's file name encoding does not have
   */
  public static Path parse(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i))) {
        throw new IllegalArgumentException(
            "%s: path with control character U+%04X; rename the file or directory"
                .formatted(shown(text), (int) text.charAt(i)));
      }
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(
          "%s: path contains characters that the locale's encoding %s does not have; set LC_ALL=C.UTF-8"
              .formatted(text, System.getProperty("sun.jnu.encoding")),
          e);
    }
  }

  private static String shown(String text) {
    StringBuilder shown = new StringBuilder();
    text.chars()
        .forEach(
            c -> {
              if (Character.isISOControl(c)) {
                shown.append("\\u%04x".formatted(c));
              } else {
                shown.append((char) c);
              }
            });
    return shown.toString();
  }
}
