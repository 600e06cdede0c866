package io.millrace.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/**
 * Python packages for tests of clients, each set in a virtual environment below {@code target},
 * which is kept. A test aborts if there is no Python with venv, or a package cannot be installed.
 */
public final class PythonPackages {
  private static final long TIMEOUT_MINUTES = 5;

  private PythonPackages() {}

  /**
   * Installs packages unless they are installed already.
   *
   * @param name of the environment
   * @param packages as pip names them
   * @return path of the interpreter
   */
  public static String install(String name, String... packages)
      throws IOException, InterruptedException {
    Path environment = Path.of("target", name);
    Path ready = environment.resolve("ready");
    String python = environment.resolve("bin").resolve("python").toAbsolutePath().toString();
    if (!Files.exists(ready)) {
      Path output = Files.createTempFile(name, ".out");
      List<String> venv = List.of("python3", "-m", "venv", "--clear", environment.toString());
      if (!succeeds(output, venv)) {
        throw new TestAbortedException("no Python with venv here");
      }
      List<String> pip = new ArrayList<>(List.of(python, "-m", "pip", "install", "--quiet"));
      pip.addAll(List.of(packages));
      if (!succeeds(output, pip)) {
        throw new TestAbortedException("cannot be installed here: " + String.join(", ", packages));
      }
      Files.delete(output);
      Files.createFile(ready);
    }
    return python;
  }

  /** Whether a program exists and exits with 0; writes its output to a file. */
  public static boolean succeeds(Path output, List<String> command) throws InterruptedException {
    Process process;
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(output.toFile())
              .start();
    } catch (IOException e) {
      return false;
    }
    try {
      return process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES) && process.exitValue() == 0;
    } finally {
      process.destroyForcibly();
    }
  }
}
