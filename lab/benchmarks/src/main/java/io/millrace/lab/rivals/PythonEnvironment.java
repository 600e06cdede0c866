package io.millrace.lab.rivals;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Packages of Python in an environment of their own, made when it is missing and kept. */
public final class PythonEnvironment {
  private static final Duration PATIENCE = Duration.ofMinutes(15);

  private PythonEnvironment() {}

  /**
   * The interpreter of an environment that has packages.
   *
   * @param name of the environment
   * @param packages as pip and {@code import} call them; with {@code ==VERSION} for a certain one
   * @param log file for what is said meanwhile
   * @throws IOException if there is no Python, or the packages cannot be had: with the reason
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

  /** The last line of what a program has said. */
  public static String last(String output) {
    List<String> lines = output.lines().toList();
    return lines.isEmpty() ? "no output" : lines.get(lines.size() - 1);
  }
}
