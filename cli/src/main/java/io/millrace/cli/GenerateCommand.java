package io.millrace.cli;

import io.millrace.cli.ads.GenerateAdsCommand;
import io.millrace.cli.capture.GenerateFlowsCommand;
import io.millrace.cli.gateways.GenerateGatewaysCommand;
import io.millrace.cli.quota.GenerateQuotaCommand;
import io.millrace.cli.voice.GenerateVoiceCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "generate",
    description = "Generate synthetic captures and records.",
    subcommands = {
      GenerateFlowsCommand.class,
      GenerateGatewaysCommand.class,
      GenerateQuotaCommand.class,
      GenerateVoiceCommand.class,
      GenerateAdsCommand.class
    })
final class GenerateCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "missing subcommand: " + String.join(", ", spec.subcommands().keySet()));
  }
}
