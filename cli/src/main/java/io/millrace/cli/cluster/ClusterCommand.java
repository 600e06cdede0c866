package io.millrace.cli.cluster;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "cluster",
    description =
        "A Flink and Kafka cluster of separate processes on this machine, for tests of a cluster "
            + "and of its failures.",
    subcommands = {ClusterStartCommand.class, ClusterStatusCommand.class, ClusterStopCommand.class})
public final class ClusterCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: start, status or stop");
  }
}
