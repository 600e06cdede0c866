package io.millrace.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace plugins}: analyzers of others. */
@Command(
    name = "plugins",
    description = "Analyzers of your own, which fill tables of their own: see docs/analyzers.md.",
    subcommands = {PluginsListCommand.class})
final class PluginsCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name list");
  }
}
