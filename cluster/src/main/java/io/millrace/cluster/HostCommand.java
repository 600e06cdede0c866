package io.millrace.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Runs a command of this machine to its end. */
final class HostCommand {
  private record Result(int status, String said) {}

  private HostCommand() {}

  /**
   * What it printed.
   *
   * @throws ClusterException if it cannot be run or fails
   */
  static String run(String... command) {
    Result result = result(List.of(command));
    if (result.status != 0) {
      throw new ClusterException(String.join(" ", command) + ": " + result.said);
    }
    return result.said;
  }

  /** What it says of its failure; empty if it succeeds. */
  static Optional<String> tryRun(List<String> command) {
    try {
      Result result = result(command);
      return result.status == 0 ? Optional.empty() : Optional.of(result.said);
    } catch (ClusterException e) {
      return Optional.of(e.getMessage());
    }
  }

  private static Result result(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String said =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return new Result(process.waitFor(), said);
    } catch (IOException e) {
      throw new ClusterException(command.get(0) + " cannot be run: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted in " + command.get(0), e);
    }
  }
}
