package io.millrace.lab.rivals;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Python packages in a virtual environment, created if missing and kept. */
public final class PythonEnvironment {
  private static final Duration PATIENCE = Duration.ofMinutes(15);

  private PythonEnvironment() {}

  /**
   * Returns the interpreter of an environment with packages.
   *
   * @param name name of the environment
   * @param packages names for both pip and {@code import}, optionally with {@code ==VERSION}
   * @param log file for the output of the installation
   * @throws IOException if Python is missing or a package cannot be installed; with the reason
   */
  public static Path python(String name, List<String> packages, Path log) throws IOException {
    Path environment = Path.of(System.getProperty("java.io.tmpdir"), "millrace-bench-" + name);
    Path python = environment.resolve("bin/python");
    if (isReady(python, packages, log)) {
      return python;
    }
    String made =
        ChildProcess.run(log, PATIENCE, List.of("python3", "-m", "venv", environment.toString()));
    if (!Files.isExecutable(python)) {
      throw new IOException("python3 -m venv: " + last(made));
    }
    List<String> install =
        new ArrayList<>(List.of(python.toString(), "-m", "pip", "install", "-q"));
    install.addAll(packages);
    String installed = ChildProcess.run(log, PATIENCE, install);
    if (!isReady(python, packages, log)) {
      throw new IOException("pip install " + String.join(" ", packages) + ": " + last(installed));
    }
    return python;
  }

  private static boolean isReady(Path python, List<String> packages, Path log) throws IOException {
    String script =
        "import " + String.join(", ", packages).replaceAll("==[^,]*", "") + "; print('ready')";
    return Files.isExecutable(python)
        && ChildProcess.run(log, PATIENCE, List.of(python.toString(), "-c", script))
            .contains("ready");
  }

  /** Returns the last line of a program's output. */
  public static String last(String output) {
    List<String> lines = output.lines().toList();
    return lines.isEmpty() ? "no output" : lines.get(lines.size() - 1);
  }
}
