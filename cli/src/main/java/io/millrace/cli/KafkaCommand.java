package io.millrace.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "kafka",
    description = "Flows from and to external Kafka topics; see docs/kafka.md.",
    subcommands = {KafkaSchemaCommand.class})
final class KafkaCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: schema");
  }
}
