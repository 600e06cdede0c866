package io.millrace.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "dataset",
    description = "Build, query and list the data sets that are joined with flows.",
    subcommands = {DatasetBuildCommand.class, DatasetLookupCommand.class, DatasetListCommand.class})
final class DatasetCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: build, lookup or list");
  }
}
