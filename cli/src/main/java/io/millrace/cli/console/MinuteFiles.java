package io.millrace.cli.console;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Output directory of a generated trace, with a file for each stream and minute. */
public final class MinuteFiles {
  private static final int MAX_MINUTES = 9_999;

  @Parameters(paramLabel = "DIRECTORY", description = "Output directory, created if missing.")
  private Path directory;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "20",
      description = "Duration in minutes, 1 to 9999; 20 by default.")
  private int minutes;

  /** Path of the directory. */
  public Path directory() {
    return directory;
  }

  /**
   * Duration in minutes.
   *
   * @throws IllegalArgumentException if the option is out of range
   */
  public int minutes() {
    TraceOptions.require("--minutes", minutes, MAX_MINUTES);
    return minutes;
  }

  /** Opens the file of a minute: {@code STREAM-NNNN.ndjson}. */
  public BufferedWriter open(String stream, int minute) throws IOException {
    return Files.newBufferedWriter(
        directory.resolve("%s-%04d.ndjson".formatted(stream, minute)), StandardCharsets.UTF_8);
  }
}
