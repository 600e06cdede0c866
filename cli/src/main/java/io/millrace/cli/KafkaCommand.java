package io.millrace.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace kafka}: topics of others. */
@Command(
    name = "kafka",
    description = "Flows from topics of others and to them: see docs/kafka.md.",
    subcommands = {KafkaSchemaCommand.class})
final class KafkaCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name schema");
  }
}
