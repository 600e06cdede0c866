package io.millrace.cli;

import io.millrace.cli.config.ConfigWriter;
import io.millrace.cli.config.YamlFile;
import io.millrace.server.runtime.MillraceConfig;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace config}: the settings that hold, as a file to start from. */
@Command(
    name = "config",
    description = "Print the settings that hold, as a commented file that up -c reads.",
    footer = {"", "  millrace config > millrace.yaml"})
final class ConfigCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "The file whose settings to show, completed by the defaults.")
  private Path file;

  @Option(names = "--reference", description = "The reference page of all keys, as Markdown.")
  private boolean reference;

  @Override
  public Integer call() {
    MillraceConfig defaults = MillraceConfig.defaults();
    PrintWriter out = spec.commandLine().getOut();
    if (reference) {
      out.print(ConfigWriter.reference(defaults));
    } else {
      out.print(ConfigWriter.yaml(file == null ? defaults : YamlFile.read(file, defaults)));
    }
    out.flush();
    return 0;
  }
}
