package io.millrace.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace dataset}: what flows are joined with. */
@Command(
    name = "dataset",
    description = "Build, look up and list the data sets that flows are joined with.",
    subcommands = {DatasetBuildCommand.class, DatasetLookupCommand.class, DatasetListCommand.class})
final class DatasetCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name one of build, lookup, list");
  }
}
