package io.millrace.cli.deploy;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Programs in Go, which a release run builds below {@code target}. Tests are skipped without them.
 */
final class GoTools {
  static final String HELM = "helm.sh/helm/v3/cmd/helm@v3.22.0";

  /** The program in {@code src/test/go}. */
  static final String CHECK = "check";

  private static final Path BUILT = Path.of("target", "go").toAbsolutePath();
  private static final Duration BUILD = Duration.ofMinutes(20);

  private GoTools() {}

  /** Builds what is missing, in a release run; the calling test is skipped if it is not there. */
  static void require(String... tools) throws IOException {
    for (String tool : tools) {
      if (Boolean.getBoolean("millrace.release")
          && Files.notExists(path(tool))
          && ChildProcess.succeeds("go", "version")) {
        Files.createDirectories(BUILT);
        List<String> command = new ArrayList<>(List.of("env", "GOBIN=" + BUILT, "go"));
        command.addAll(
            tool.equals(CHECK)
                ? List.of("build", "-C", "src/test/go", "-o", path(tool).toString(), ".")
                : List.of("install", tool));
        var unused = ChildProcess.run(BUILT.resolve(path(tool) + ".log"), BUILD, command);
      }
      assumeThat(path(tool))
          .as("not built: ./millrace test documentation --only --release")
          .isExecutable();
    }
  }

  private static Path path(String tool) {
    return BUILT.resolve(tool.replaceFirst("@.*", "").replaceFirst(".*/", ""));
  }

  /**
   * Runs a tool and returns its output.
   *
   * @throws IOException if it fails, with its last output
   */
  static String run(String tool, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(path(tool).toString()));
    command.addAll(List.of(arguments));
    return ChildProcess.check(command.toArray(new String[0]));
  }
}
