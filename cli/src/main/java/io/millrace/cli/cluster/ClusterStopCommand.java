package io.millrace.cli.cluster;

import io.millrace.cli.console.UsageException;
import io.millrace.cluster.ClusterDirectory;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.ClusterRunsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "stop",
    description =
        "Stop the processes that millrace cluster start started in this directory, and no "
            + "others. Logs and data are kept.",
    footer = {"", "  millrace cluster stop"})
final class ClusterStopCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ClusterDirectoryOption place;

  @Override
  public Integer call() throws IOException {
    ClusterDirectory directory = place.directory();
    if (!directory.exists()) {
      throw new UsageException("no cluster was started in " + directory.root());
    }
    List<ClusterProcess> stopped;
    try {
      stopped = directory.stop();
    } catch (ClusterRunsException e) {
      throw new UsageException(e.getMessage());
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        stopped.isEmpty()
            ? "no process of the cluster was running"
            : "stopped "
                + stopped.stream().map(ClusterProcess::name).collect(Collectors.joining(", ")));
    out.flush();
    return 0;
  }
}
