package io.millrace.cluster;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Runs commands on this machine and waits for their end. */
public final class HostCommand {
  private HostCommand() {}

  /**
   * Runs a command and returns its output.
   *
   * @throws ClusterException if the command cannot be run or fails
   */
  public static String run(String... command) {
    try {
      return ChildProcess.check(command).strip();
    } catch (IOException e) {
      throw new ClusterException(e.getMessage(), e);
    }
  }

  /** Runs a command and returns why it failed; empty if it succeeded. */
  public static Optional<String> tryRun(List<String> command) {
    try {
      run(command.toArray(String[]::new));
      return Optional.empty();
    } catch (ClusterException e) {
      return Optional.of(e.getMessage());
    }
  }
}
