package io.millrace.cluster;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Runs a command of this machine to its end. */
public final class HostCommand {
  private HostCommand() {}

  /**
   * What it printed.
   *
   * @throws ClusterException if it cannot be run or fails
   */
  public static String run(String... command) {
    try {
      return ChildProcess.check(command).strip();
    } catch (IOException e) {
      throw new ClusterException(e.getMessage(), e);
    }
  }

  /** Why it failed; empty if it succeeds. */
  public static Optional<String> tryRun(List<String> command) {
    try {
      run(command.toArray(String[]::new));
      return Optional.empty();
    } catch (ClusterException e) {
      return Optional.of(e.getMessage());
    }
  }
}
