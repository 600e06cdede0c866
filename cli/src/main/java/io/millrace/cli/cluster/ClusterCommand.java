package io.millrace.cli.cluster;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace cluster}: a Flink and Kafka cluster on this machine. */
@Command(
    name = "cluster",
    description =
        "A Flink and Kafka cluster on this machine, made of separate processes: to try what a"
            + " cluster does, and what it does when a part of it fails.",
    subcommands = {ClusterStartCommand.class, ClusterStatusCommand.class, ClusterStopCommand.class})
public final class ClusterCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name one of start, status, stop");
  }
}
