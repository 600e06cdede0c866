package io.millrace.cli.console;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * Pager for output longer than the terminal: the command in the environment variable {@code PAGER},
 * or {@code less}.
 */
public final class Pager {
  /**
   * Options of {@code less}: exit if the text fits, do not wrap lines, keep the text on the screen.
   */
  private static final String LESS = "FSX";

  private final String command;

  private Pager(String command) {
    this.command = command;
  }

  /** Prints the text. */
  @FunctionalInterface
  public interface Text {
    void print(PrintWriter out) throws IOException;
  }

  /**
   * Returns the pager configured in an environment.
   *
   * @return empty if {@code PAGER} is empty, or unset and there is no {@code less}
   */
  public static Optional<Pager> of(Map<String, String> environment) {
    String named = environment.get("PAGER");
    if (named != null) {
      return named.isBlank() ? Optional.empty() : Optional.of(new Pager(named));
    }
    boolean hasLess =
        Arrays.stream(environment.getOrDefault("PATH", "").split(":"))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "less")));
    return hasLess ? Optional.of(new Pager("less")) : Optional.empty();
  }

  /** Shows the text; returns when the user has closed the pager. */
  public void show(Text text) throws IOException {
    ProcessBuilder pager =
        new ProcessBuilder("sh", "-c", command)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    pager.environment().putIfAbsent("LESS", LESS);
    pager.environment().putIfAbsent("LESSCHARSET", "utf-8");
    Process process = pager.start();
    OutputStream to = process.getOutputStream();
    try (PrintWriter out =
        new EscapingWriter(new OutputStreamWriter(to, StandardCharsets.UTF_8), false)) {
      text.print(out);
    } finally {
      waitFor(process);
    }
  }

  private static void waitFor(Process process) {
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
    }
  }
}
