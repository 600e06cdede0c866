package io.millrace.cli;

import io.millrace.cli.capture.DecodeCommand;
import io.millrace.cli.capture.SendCommand;
import io.millrace.cli.cluster.ClusterCommand;
import io.millrace.cli.demo.DemoCommand;
import io.millrace.cli.gateways.IngestCommand;
import io.millrace.pulse.DataVersion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

@Command(
    name = "millrace",
    description = "Real-time network analytics: flow export to SQL.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    sortOptions = false,
    usageHelpAutoWidth = true,
    versionProvider = MillraceCommand.Version.class,
    subcommands = {
      DemoCommand.class,
      UpCommand.class,
      DecodeCommand.class,
      SendCommand.class,
      IngestCommand.class,
      GenerateCommand.class,
      SqlCommand.class,
      TopCommand.class,
      WhoCommand.class,
      AlertsCommand.class,
      TrendsCommand.class,
      ReplayCommand.class,
      BackupCommand.class,
      RestoreCommand.class,
      ExportCommand.class,
      ImportCommand.class,
      SubmitCommand.class,
      StatusCommand.class,
      AdviseCommand.class,
      DoctorCommand.class,
      ConfigCommand.class,
      DatasetCommand.class,
      ClusterCommand.class,
      PluginsCommand.class,
      KafkaCommand.class,
      CompletionCommand.class,
      AboutCommand.class,
      CommandLine.HelpCommand.class
    })
final class MillraceCommand implements Runnable {
  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of a failure.")
  boolean debug;

  @Spec CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing command");
  }

  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"millrace " + DataVersion.CURRENT.release()};
    }
  }
}
